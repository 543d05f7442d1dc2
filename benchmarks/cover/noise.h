// Testing with random noise, as the second paper's baseline does it: threads run as they like and
// now and then yield or sleep before an operation. Under control it is done in virtual time: each
// thread is on a processor of its own, an operation takes a microsecond or a few, a sleep as long
// as it says; who is first goes first. So nothing is really slept through, and the order of
// operations is the one that such sleeps lead to.
#pragma once

#include <algorithm>

#include "sched/strategy.h"

namespace jostle_bench {

class Noise final : public jostle::Strategy {
 public:
  // `sleep`: up to so many microseconds; 0: a yield, which lets everybody else go first. Of a
  // hundred operations, `percent` are preceded by one.
  Noise(std::uint32_t percent, std::uint32_t sleep) : percent_(percent), sleep_(sleep) {}

  void begin(const jostle::Plan& plan, const jostle::Profile& profile) override {
    Strategy::begin(plan, profile);
    now_ = 0;
    std::fill_n(free_, jostle::kMaxThreads, 0ull);
  }
  void created(jostle::ThreadId t, jostle::ThreadId) override { free_[t] = now_ + kStart; }
  jostle::ThreadId pick(const jostle::View& view) override {
    jostle::ThreadId first = jostle::kNoThread;
    std::uint32_t equals = 0;
    view.enabled().each([&](jostle::ThreadId t) {
      free_[t] = std::max(free_[t], now_);  // it may have been blocked
      if (first == jostle::kNoThread || free_[t] < free_[first]) equals = 0;
      if (first != jostle::kNoThread && free_[t] > free_[first]) return;
      if (rng_.below(++equals) == 0) first = t;
    });
    return first;
  }
  bool wants_events() const override { return true; }
  void performed(const jostle::View& view, jostle::ThreadId t, const jostle::Op&) override {
    now_ = std::max(now_, free_[t]);
    free_[t] = now_ + 1 + rng_.below(4);
    if (rng_.below(100) >= percent_) return;
    if (sleep_ > 0) {
      free_[t] += rng_.below(sleep_);
      return;
    }
    view.enabled().each([&](jostle::ThreadId u) { free_[t] = std::max(free_[t], free_[u] + 1); });
  }

 private:
  static constexpr std::uint64_t kStart = 50;  // microseconds until a new thread runs
  std::uint32_t percent_, sleep_;
  std::uint64_t now_ = 0;
  std::uint64_t free_[jostle::kMaxThreads] = {};  // when each can do its next operation
};

}  // namespace jostle_bench
