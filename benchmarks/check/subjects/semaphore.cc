// A counting semaphore.
#include <condition_variable>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Semaphore {
 public:
  void release() {
    const std::lock_guard lock(mutex_);
    ++count_;
    // With a count above one, somebody was woken before: but only one of several.
    if (!kBroken || count_ == 1) available_.notify_one();
  }
  void acquire() {
    std::unique_lock lock(mutex_);
    while (count_ == 0) available_.wait(lock);
    --count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable available_;
  int count_ = 0;
};

template <bool kBroken, int kTail>
void test() {
  Semaphore<kBroken> semaphore;
  Tally tally;
  auto consume = [&] {
    semaphore.acquire();
    tally.add_each(kTail);
  };
  together(
      [&] {
        tally.add(1);
        semaphore.release();
        semaphore.release();
        tally.add_each(kTail);
      },
      consume, consume);
  JOSTLE_ASSERT(tally.total() == 3 * kTail + 1);
}

const Enlist enlist("semaphore", "only the first of two releases wakes somebody", "deadlock",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
