// Workers share items, each of which may bring more; all are done when none is left or under way.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class ParallelDo {
 public:
  void add(int item) {
    unfinished_.fetch_add(1);
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
    waiting_.store(true);
  }
  template <class F>
  void work(F f) {
    while (unfinished_.load() > 0) {
      int item = 0;
      if (!waiting_.load() || !take(item)) {
        std::this_thread::yield();
        continue;
      }
      // What it brings counts before it is finished itself, or others see that nothing is left.
      if (kBroken) unfinished_.fetch_sub(1);
      f(item);
      if (!kBroken) unfinished_.fetch_sub(1);
    }
  }

 private:
  bool take(int& item) {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return false;
    item = items_.back();
    items_.pop_back();
    if (items_.empty()) waiting_.store(false);
    return true;
  }

  std::atomic<int> unfinished_{0};
  std::atomic<bool> waiting_{false};  // items: to look at without the lock
  std::mutex mutex_;
  std::vector<int> items_;
};

template <bool kBroken, int kTail>
void test() {
  ParallelDo<kBroken> loop;
  Tally done, tally;
  loop.add(1);
  auto work = [&] {
    loop.work([&](int item) {
      if (item > 0) loop.add(item - 1);
      done.add(1);
    });
    JOSTLE_ASSERT(done.total() == 2);
    tally.add_each(kTail);
  };
  together(work, work, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("parallel_do", "an item is finished before what it brings is counted",
                    "assertion", Lengths<14>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
