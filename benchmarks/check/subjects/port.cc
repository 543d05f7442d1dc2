// A port of messages: those who find none leave a mark and are told when one comes.
//
// Subject of the study of the paper's section 5.3: `enqueue` and `try_dequeue` are the functions
// that have to interrupt each other.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {

template <bool kBroken>
class Port {
 public:
  [[gnu::noinline]] void enqueue(int message) {
    {
      const std::lock_guard lock(mutex_);
      messages_.push_back(message);
    }
    if (idle_.exchange(false)) wake();
  }
  [[gnu::noinline]] bool try_dequeue(int& message) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      {
        const std::lock_guard lock(mutex_);
        if (!messages_.empty()) {
          message = messages_.front();
          messages_.pop_front();
          return true;
        }
      }
      if (attempt > 0) break;
      idle_.store(true);
      if (kBroken) break;  // a message may have come between the look and the mark
    }
    return false;
  }
  void receive(int& message) {
    while (!try_dequeue(message)) {
      std::unique_lock lock(woken_mutex_);
      while (!woken_) changed_.wait(lock);
      woken_ = false;
    }
  }

 private:
  void wake() {
    const std::lock_guard lock(woken_mutex_);
    woken_ = true;
    changed_.notify_one();
  }

  std::mutex mutex_, woken_mutex_;
  std::condition_variable changed_;
  std::deque<int> messages_;
  std::atomic<bool> idle_{false};
  bool woken_ = false;
};

namespace {

template <bool kBroken, int kTail>
void test() {
  Port<kBroken> port;
  Tally tally;
  together(
      [&] {
        tally.add(1);
        port.enqueue(1);
        tally.add_each(kTail);
      },
      [&] {
        int message = 0;
        port.receive(message);
        tally.add(message);
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail + 2);
}

const Enlist enlist("port", "a message between the look and the mark of the reader", "deadlock",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
