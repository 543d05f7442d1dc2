// A latch that whoever waits for it may free as soon as the wait is over.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Latch {
 public:
  explicit Latch(int count) : count_(count) {}

  void count_down() {
    std::unique_lock lock(mutex_);
    if (--count_ > 0) return;
    if (kBroken) lock.unlock();  // a waiter may see the zero, and free all this
    if (waiters_.load() > 0) open_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    waiters_.fetch_add(1);
    while (count_ > 0) open_.wait(lock);
    waiters_.fetch_sub(1);
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  int count_;
  std::atomic<int> waiters_{0};
};

template <bool kBroken, int kTail>
void test() {
  auto latch = std::make_unique<Latch<kBroken>>(1);
  Tally tally;
  together(
      [&, l = latch.get()] {
        l->count_down();
        tally.add_each(kTail);
      },
      [&] {
        latch->wait();
        latch.reset();
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("latch", "looks for waiters after the unlock, when it may be gone", "heap",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
