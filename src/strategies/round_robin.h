// Round robin: at every decision the next thread in order of creation. The seed only says how
// many decisions a turn lasts.
#pragma once

#include "sched/strategy.h"

namespace jostle {

class RoundRobin final : public Strategy {
 public:
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    turn_ = 1 + static_cast<std::uint32_t>(plan.seed % 8);
    left_ = turn_;
  }
  ThreadId pick(const View& view) override {
    if (view.running_enabled() && --left_ > 0) return view.running;
    left_ = turn_;
    ThreadId after = kNoThread;
    view.enabled().each([&](ThreadId t) {
      if (after == kNoThread && t > view.running) after = t;
    });
    return after != kNoThread ? after : view.enabled().first();
  }

 private:
  std::uint32_t turn_ = 1, left_ = 1;
};

}  // namespace jostle
