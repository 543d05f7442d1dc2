// Workers that take tasks from a queue, and somebody who waits until there is nothing left to do.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class TaskQueue {
 public:
  void post(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (tasks_.empty() && !stopped_) changed_.wait(lock);
      if (tasks_.empty()) return;
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      ++running_;
      lock.unlock();
      task();
      lock.lock();
      --running_;
      changed_.notify_all();
    }
  }
  void wait_idle() {
    std::unique_lock lock(mutex_);
    // An empty queue does not say that the last task is done.
    while (!tasks_.empty() || (!kBroken && running_ > 0)) changed_.wait(lock);
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  int running_ = 0;
  bool stopped_ = false;
};

template <bool kBroken, int kTail>
void test() {
  TaskQueue<kBroken> queue;
  Tally done, tally;
  queue.post([&] { done.add(1); });
  together(
      [&] {
        queue.work();
        tally.add_each(kTail);
      },
      [&] {
        queue.wait_idle();
        JOSTLE_ASSERT(done.total() == 1);
        for (int i = 0; i < kTail; ++i) queue.post([&] { done.add(1); });
        queue.wait_idle();
        queue.stop();
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("task_queue", "idle although a task is still running", "assertion",
                    Lengths<8>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
