// A lock for readers and writers in which a reader leaves without the mutex.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class RwLock {
 public:
  void lock_shared() {
    std::unique_lock lock(mutex_);
    while (writing_) changed_.wait(lock);
    readers_.fetch_add(1);
  }
  void unlock_shared() {
    if (readers_.fetch_sub(1) != 1) return;
    // Through the mutex: a writer that has seen the reader must be waiting by now.
    if (!kBroken) const std::lock_guard passed(mutex_);
    changed_.notify_all();
  }
  void lock() {
    std::unique_lock lock(mutex_);
    while (writing_ || readers_.load() > 0) changed_.wait(lock);
    writing_ = true;
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<int> readers_{0};
  bool writing_ = false;
};

template <bool kBroken, int kTail>
void test() {
  RwLock<kBroken> lock;
  Tally tally;
  int value = 0;
  together(
      [&] {
        lock.lock_shared();
        const int seen = value;
        lock.unlock_shared();
        JOSTLE_ASSERT(seen == 0 || seen == 1);
        tally.add_each(kTail);
      },
      [&] {
        lock.lock();
        value = 1;
        lock.unlock();
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("rw_lock", "the last reader leaves while a writer is about to wait", "deadlock",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
