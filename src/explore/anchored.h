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
  // The next departure, if the running thread is where it belongs.
  const ScheduleStep* due(const View& view);

  Schedule schedule_;
  report::Symbols symbols_;
  std::map<std::uint64_t, Spot> spots_;
  std::map<Key, std::uint32_t> seen_;  // how often each thread was at each place
  std::size_t next_ = 0;
};

}  // namespace jostle::explore
