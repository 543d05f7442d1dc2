// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): threads have distinct
// random priorities, the highest that can run does; at d-1 random steps the running thread drops
// below all others. Finds a bug of depth d with probability >= 1/(n k^(d-1)).
//
// Deviation: a thread that yields drops too, else a spinning thread of high priority would
// starve what it waits for.
#pragma once

#include "sched/strategy.h"

namespace jostle {

class Pct : public Strategy {
 public:
  static constexpr std::uint32_t kMaxDepth = 32;

  void begin(const Plan& plan, const Profile& profile) override;
  ThreadId pick(const View& view) override;
  void created(ThreadId t, ThreadId parent) override;
  void yielded(ThreadId t) override;

 protected:
  void pass_change_points(const View& view);

  // Larger runs first. Initial priorities have the top bit set; dropped ones count downwards
  // from kLow, so that a later drop lies below an earlier one.
  static constexpr std::uint64_t kLow = 1ull << 40;
  std::uint64_t priority_[kMaxThreads] = {};
  std::uint64_t low_ = kLow;
  std::uint32_t step_ = 0, next_change_ = 0, changes_ = 0;
  std::uint32_t change_[kMaxDepth] = {};  // ascending, distinct
};

// Maple's variant: priorities are weights, not strict. The best thread runs in nine decisions of
// ten, the second best in nine of the remaining ten, and so on.
class PctLarge final : public Pct {
 public:
  ThreadId pick(const View& view) override;
};

}  // namespace jostle
