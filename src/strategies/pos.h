// Partial order sampling (Yuan, Yang, Gu, CAV 2018): every pending operation has a random
// priority, the best runs; what it raced with draws again. Operations on the same lock race.
#pragma once

#include "sched/strategy.h"

namespace jostle {

class Pos : public Strategy {
 public:
  void created(ThreadId t, ThreadId) override { draw(t); }
  bool wants_events() const override { return true; }
  void performed(const View& view, ThreadId t, const Op& op) override {
    draw(t);
    if (op.address == 0) return;
    for (std::uint32_t i = 0; i < view.count; ++i) {
      const auto u = static_cast<ThreadId>(i);
      if (u != t && !view.threads[u].finished && racing(op, view.pending(u))) draw(u);
    }
  }
  void yielded(ThreadId t) override { draw(t); }
  ThreadId pick(const View& view) override {
    ThreadId best = kNoThread;
    view.enabled().each([&](ThreadId t) {
      if (best == kNoThread || priority_[t] > priority_[best]) best = t;
    });
    return best;
  }

 protected:
  void draw(ThreadId t) { priority_[t] = rng_.next(); }
  std::uint64_t priority_[kMaxThreads] = {};
};

}  // namespace jostle
