// A pool whose workers sleep on a condition, whose tasks may submit others, and whose shutdown
// drains what is left.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

class Pool {
 public:
  Pool() : workers_{std::thread([this] { work(); }), std::thread([this] { work(); })} {}
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& w : workers_) w.join();
  }
  bool submit(int task) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ || end_ == kRoom) {
        rejected_.fetch_add(1);
        return false;
      }
      tasks_[end_++] = task;
    }
    wake_.notify_one();
    return true;
  }
  int idle() const { return idle_.load(); }

 private:
  static constexpr int kRoom = 8;
  void work() {
    for (;;) {
      int task;
      {
        std::unique_lock lock(mutex_);
        idle_.fetch_add(1);
        while (begin_ == end_ && !stopping_) wake_.wait(lock);
        idle_.fetch_sub(1);
        if (begin_ == end_) return;
        task = tasks_[begin_++];
      }
      if (task > 0) submit(task - 1);
      done_.fetch_add(1);
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  int tasks_[kRoom] = {}, begin_ = 0, end_ = 0;
  bool stopping_ = false;
  std::atomic<int> idle_{0}, done_{0}, rejected_{0};
  std::thread workers_[2];
};

void pool() {
  Pool p;
  p.submit(1);
  if (p.idle() == 2) p.submit(0);
  p.submit(0);
}

const jostle_bench::CoverSubject kSubject("thread pool", &pool);

}  // namespace
