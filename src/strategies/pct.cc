#include "strategies/pct.h"

namespace jostle {

void Pct::begin(const Plan& plan, const Profile& profile) {
  Strategy::begin(plan, profile);
  low_ = kLow;
  step_ = 0;
  next_change_ = 0;
  const std::uint32_t depth = plan.depth ? plan.depth : 3;
  const std::uint32_t length = plan.length > 1 ? plan.length : 2;
  changes_ = depth - 1 < kMaxDepth ? depth - 1 : kMaxDepth;
  if (changes_ > length - 1) changes_ = length - 1;
  // Distinct points in [1, length): drawn, sorted, collisions drawn again.
  for (std::uint32_t i = 0; i < changes_;) {
    const std::uint32_t p = 1 + rng_.below(length - 1);
    std::uint32_t at = i;
    bool taken = false;
    for (std::uint32_t k = 0; k < i; ++k) taken |= change_[k] == p;
    if (taken) continue;
    while (at > 0 && change_[at - 1] > p) {
      change_[at] = change_[at - 1];
      --at;
    }
    change_[at] = p;
    ++i;
  }
}

void Pct::created(ThreadId t, ThreadId) { priority_[t] = rng_.next() | (1ull << 63); }

void Pct::yielded(ThreadId t) { priority_[t] = --low_; }

void Pct::pass_change_points(const View& view) {
  ++step_;
  while (next_change_ < changes_ && change_[next_change_] <= step_) {
    ++next_change_;
    if (view.running != kNoThread) priority_[view.running] = --low_;
  }
}

ThreadId Pct::pick(const View& view) {
  pass_change_points(view);
  ThreadId best = kNoThread;
  view.enabled().each([&](ThreadId t) {
    if (best == kNoThread || priority_[t] > priority_[best]) best = t;
  });
  return best;
}

ThreadId PctLarge::pick(const View& view) {
  pass_change_points(view);
  std::uint32_t rank = 0;
  const std::uint32_t n = view.enabled().count();
  while (rank + 1 < n && rng_.below(10) == 0) ++rank;
  // The thread with exactly `rank` better ones.
  ThreadId chosen = kNoThread;
  view.enabled().each([&](ThreadId t) {
    std::uint32_t better = 0;
    view.enabled().each([&](ThreadId u) { better += priority_[u] > priority_[t]; });
    if (better == rank) chosen = t;
  });
  return chosen;
}

}  // namespace jostle
