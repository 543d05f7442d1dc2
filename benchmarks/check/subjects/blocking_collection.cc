// A bounded queue that can be closed: then consumers get what is left, and no more.
#include <condition_variable>
#include <deque>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class BlockingCollection {
 public:
  explicit BlockingCollection(std::size_t capacity) : capacity_(capacity) {}

  void put(int value) {
    std::unique_lock lock(mutex_);
    while (values_.size() == capacity_) not_full_.wait(lock);
    values_.push_back(value);
    not_empty_.notify_one();
  }
  bool take(int& value) {
    std::unique_lock lock(mutex_);
    while (values_.empty() && !closed_) not_empty_.wait(lock);
    if (values_.empty()) return false;
    value = values_.front();
    values_.pop_front();
    not_full_.notify_one();
    return true;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (kBroken)
      not_empty_.notify_one();
    else
      not_empty_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<int> values_;
  bool closed_ = false;
};

template <bool kBroken, int kTail>
void test() {
  BlockingCollection<kBroken> queue(2);
  Tally tally;
  auto consume = [&] {
    for (int value = 0; queue.take(value);) tally.add(value);
    tally.add_each(kTail);
  };
  together(
      [&] {
        queue.put(1);
        queue.put(1);
        queue.close();
        tally.add_each(kTail);
      },
      consume, consume);
  JOSTLE_ASSERT(tally.total() == 3 * kTail + 2);
}

const Enlist enlist("blocking_collection", "closing wakes one consumer of two", "deadlock",
                    Lengths<14, 0>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
