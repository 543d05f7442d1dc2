// Uniform random walk over interleavings: a thread is picked with probability proportional to
// the events that it and its unborn children have left, as counted in a profiling run. Where the
// counts are exact, every interleaving is equally likely.
//
// Deviation: a thread that has outlived its count keeps weight 1.
#pragma once

#include "sched/strategy.h"

namespace jostle {

class Urw final : public Strategy {
 public:
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    threads_ = profile.threads;
    for (std::uint32_t i = 0; i < threads_; ++i) left_[i] = profile.events[i];
    // Events of threads that do not exist yet count for their parents, outermost last.
    for (std::uint32_t i = threads_; i-- > 1;) {
      const ThreadId p = profile.parent[i];
      if (p < i) left_[p] += left_[i];
    }
    for (std::uint32_t i = 0; i < threads_; ++i) whole_[i] = left_[i];
  }
  void created(ThreadId t, ThreadId parent) override {
    if (t >= threads_ || parent >= threads_) return;
    left_[parent] -= left_[parent] > whole_[t] ? whole_[t] : left_[parent];
    left_[t] = whole_[t];
  }
  bool wants_events() const override { return true; }
  void performed(const View&, ThreadId t, const Op&) override {
    if (t < threads_ && left_[t] > 0) --left_[t];
  }
  ThreadId pick(const View& view) override {
    std::uint64_t sum = 0;
    view.enabled().each([&](ThreadId t) { sum += weight(t); });
    std::uint64_t k = rng_.below64(sum);
    ThreadId chosen = view.enabled().first();
    bool found = false;
    view.enabled().each([&](ThreadId t) {
      if (found) return;
      if (k < weight(t)) {
        chosen = t;
        found = true;
      } else {
        k -= weight(t);
      }
    });
    return chosen;
  }

 private:
  std::uint64_t weight(ThreadId t) const { return t < threads_ && left_[t] > 0 ? left_[t] : 1; }
  std::uint32_t threads_ = 0;  // of the profile: what is kept of others has no meaning
  std::uint64_t left_[Profile::kThreads] = {}, whole_[Profile::kThreads] = {};
};

}  // namespace jostle
