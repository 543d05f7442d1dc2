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
    if (kBroken) lock.unlock();  // the waiter may see the zero, and be gone
    open_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    while (count_ > 0) open_.wait(lock);
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  int count_;
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

const Enlist enlist({"latch", "notifies after the unlock, when the latch may be gone", "heap",
                     &test<true, 12>, &test<false, 12>, &test<false, 1>});

}  // namespace
}  // namespace jostle_bench
