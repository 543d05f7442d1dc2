// An event that stays set until it is reset; setting it is cheap while nobody waits.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class ManualResetEvent {
 public:
  void set() {
    set_.store(true);
    if (waiters_.load() == 0) return;
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  void reset() { set_.store(false); }
  void wait() {
    if (set_.load()) return;
    std::unique_lock lock(mutex_);
    if (kBroken) {
      while (!set_.load()) {  // too early: set() does not know yet that somebody is going to wait
        waiters_.fetch_add(1);
        changed_.wait(lock);
        waiters_.fetch_sub(1);
      }
    } else {
      waiters_.fetch_add(1);
      while (!set_.load()) changed_.wait(lock);
      waiters_.fetch_sub(1);
    }
  }

 private:
  std::atomic<bool> set_{false};
  std::atomic<int> waiters_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

template <bool kBroken, int kTail>
void test() {
  ManualResetEvent<kBroken> event;
  Tally tally;
  auto wait = [&] {
    event.wait();
    tally.add_each(kTail);
  };
  together(
      [&] {
        tally.add(1);
        event.set();
        tally.add_each(kTail);
      },
      wait, wait);
  JOSTLE_ASSERT(tally.total() == 3 * kTail + 1);
}

const Enlist enlist("manual_reset_event", "set between the test of the flag and the wait",
                    "deadlock", Lengths<16>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
