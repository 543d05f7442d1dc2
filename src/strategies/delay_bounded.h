// Delay bounding (Emmi, Qadeer, Rakamaric, POPL 2011), randomised: the first thread in a list
// runs, in order of creation, until it cannot; at d random steps it goes to the end of the list
// although it could go on.
#pragma once

#include "sched/strategy.h"

namespace jostle {

class DelayBounded final : public Strategy {
 public:
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    next_ = 0;
    step_ = 0;
    delays_ = plan.depth ? plan.depth : 2;
    if (delays_ > kMaxDelays) delays_ = kMaxDelays;
    const std::uint32_t length = plan.length > 1 ? plan.length : 2;
    for (std::uint32_t i = 0; i < delays_; ++i) at_[i] = 1 + rng_.below(length);
  }
  void created(ThreadId t, ThreadId) override { place_[t] = next_++; }
  void yielded(ThreadId t) override { place_[t] = next_++; }
  ThreadId pick(const View& view) override {
    ++step_;
    ThreadId first = head(view);
    for (std::uint32_t i = 0; i < delays_; ++i) {
      if (at_[i] != step_) continue;
      place_[first] = next_++;
      first = head(view);
    }
    return first;
  }

 private:
  static constexpr std::uint32_t kMaxDelays = 32;
  ThreadId head(const View& view) const {
    ThreadId best = kNoThread;
    view.enabled().each([&](ThreadId t) {
      if (best == kNoThread || place_[t] < place_[best]) best = t;
    });
    return best;
  }
  std::uint64_t place_[kMaxThreads] = {};  // position in the list: smaller is earlier
  std::uint64_t next_ = 0;
  std::uint32_t step_ = 0, delays_ = 0, at_[kMaxDelays] = {};
};

}  // namespace jostle
