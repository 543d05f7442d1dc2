// Plain depth-first search of all schedules: no reduction, no bound but the step limit. For tiny
// tests, and as a reference for cleverer engines.
//
// The choices of the last execution are kept; advance() turns them into the prefix of the next.
#pragma once

#include "base/mapped.h"
#include "sched/strategy.h"

namespace jostle {

class Dfs final : public Strategy {
 public:
  Dfs() : path_(1u << 22) {}

  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    if (plan.index == 0) path_.clear();
    depth_ = 0;
  }
  ThreadId pick(const View& view) override {
    ThreadSet e = view.enabled();
    // Who is back in the very state that it was in lets another go first.
    if (view.yielding != kNoThread && e.count() > 1) e.remove(view.yielding);
    if (!e.at_least_two()) return e.first();
    const std::uint32_t k = take(e.count());
    // Option 0 is the default schedule's choice, the others follow in order.
    const ThreadId standard = standard_choice(view);
    if (k == 0) return standard;
    const std::uint32_t rank = e.rank(standard);
    return e.nth(k <= rank ? k - 1 : k);
  }
  std::uint32_t choose(ChoiceKind, std::uint32_t n, const View&) override { return take(n); }

  // False when every schedule has been executed.
  bool advance() {
    path_.resize(depth_);
    while (!path_.empty() && path_.back().chosen + 1 == path_.back().options) path_.pop();
    if (path_.empty()) return false;
    ++path_.back().chosen;
    return true;
  }

 private:
  struct Choice {
    std::uint16_t options, chosen;
  };
  std::uint32_t take(std::uint32_t options) {
    if (depth_ == path_.size()) {
      if (path_.full()) return 0;
      path_.push({static_cast<std::uint16_t>(options), 0});
    }
    return path_[depth_++].chosen;
  }
  MappedVector<Choice> path_;
  std::size_t depth_ = 0;
};

}  // namespace jostle
