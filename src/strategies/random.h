// Sticky random walk: keep the running thread with probability 1 - 1/stickiness, else any.
// Stickiness 1 is the plain uniform walk; larger values build the long uninterrupted stretches
// that a uniform walk never shows.
#pragma once

#include "sched/strategy.h"

namespace jostle {

class Random final : public Strategy {
 public:
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    stickiness_ = plan.stickiness ? plan.stickiness : 2;
  }
  ThreadId pick(const View& view) override {
    // One number serves both questions: its halves are independent.
    const std::uint64_t r = rng_.next();
    if (view.running_enabled() && ((r & 0xffffffff) * stickiness_) >> 32 != 0) return view.running;
    const ThreadSet& e = view.enabled();
    return e.nth(static_cast<std::uint32_t>(((r >> 32) * e.count()) >> 32));
  }

 private:
  std::uint32_t stickiness_ = 2;
};

}  // namespace jostle
