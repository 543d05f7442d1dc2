// Replay by source instead of by number: for a program that was rebuilt since the schedule was
// made. A departure is taken when the running thread is about to do, for the same time, the same
// kind of thing in the same function. Best effort, and reported as such.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "events/schedule.h"
#include "report/symbols.h"
#include "sched/strategy.h"

namespace jostle::explore {

// How the lines of the source have moved since. As the seed of a plan: 0 looks at functions only.
struct Moved {
  std::int32_t by = 0;
  bool below_only = false;  // lines may also be where they were

  std::uint64_t seed() const {
    return std::uint64_t{1} << 63 | std::uint64_t{below_only} << 32 |
           static_cast<std::uint32_t>(by);
  }
};

class AnchoredReplay final : public Strategy {
 public:
  explicit AnchoredReplay(Schedule schedule) : schedule_(std::move(schedule)) {}

  void begin(const Plan& plan, const Profile& profile) override;
  ThreadId pick(const View& view) override;
  std::uint32_t choose(ChoiceKind kind, std::uint32_t n, const View& view) override;
  bool wants_events() const override { return true; }
  void performed(const View& view, ThreadId t, const Op& op) override;

  // Is the access with this return address one that the schedule needs as a scheduling point?
  bool promotes(std::uint64_t pc);
  std::size_t left() const { return schedule_.steps.size() - next_; }

 private:
  struct Spot {
    std::string function, file;
    std::uint32_t line = 0;
  };
  using Key = std::tuple<ThreadId, EventKind, std::string, std::uint32_t>;

  const Spot& spot(std::uint64_t pc);
  const Spot& site(std::uint64_t pc);
  // The next departure, if the running thread is where it belongs.
  const ScheduleStep* due(const View& view);
  bool same_line(std::uint32_t now, std::uint32_t then) const;

  Schedule schedule_;
  report::Symbols symbols_;
  std::map<std::uint64_t, Spot> spots_;  // by stack
  std::map<std::uint64_t, Spot> sites_;  // of accesses that may be promoted
  std::map<Key, std::uint32_t> seen_;    // how often each thread was at each place
  std::size_t next_ = 0;
  bool lines_count_ = false;
  Moved moved_;
};

}  // namespace jostle::explore
