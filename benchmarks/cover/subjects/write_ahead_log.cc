// A log with two buffers: writers append to one while the flusher writes the other. Writers that
// want their record to be durable wait; the first of a group flushes for all.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

class Log {
 public:
  void append(int record, bool durable) {
    std::unique_lock lock(mutex_);
    if (used_[active_] == kRoom) flush(lock);
    buffer_[active_][used_[active_]++] = record;
    const int mine = ++written_;
    if (!durable) return;
    while (durable_.load() < mine) {
      if (flushing_)
        flushed_.wait(lock);
      else
        flush(lock);
    }
  }
  void rotate() {
    std::unique_lock lock(mutex_);
    while (flushing_) flushed_.wait(lock);
    if (durable_.load() == written_) ++file_;
  }

 private:
  static constexpr int kRoom = 2;
  void flush(std::unique_lock<std::mutex>& lock) {
    while (flushing_) flushed_.wait(lock);
    if (used_[active_] == 0) return;
    flushing_ = true;
    const int from = active_, upto = written_;
    active_ = 1 - active_;
    lock.unlock();
    for (int i = 0; i < used_[from]; ++i) disk_ += buffer_[from][i];
    durable_.store(upto);
    lock.lock();
    used_[from] = 0;
    flushing_ = false;
    flushed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable flushed_;
  int buffer_[2][kRoom] = {}, used_[2] = {}, active_ = 0, written_ = 0, file_ = 0, disk_ = 0;
  bool flushing_ = false;
  std::atomic<int> durable_{0};
};

void log() {
  Log l;
  std::thread a([&] {
    l.append(1, false);
    l.append(2, true);
  });
  std::thread b([&] {
    l.append(3, true);
    l.append(4, false);
  });
  std::thread r([&] {
    l.rotate();
    l.append(5, false);
    l.rotate();
  });
  a.join();
  b.join();
  r.join();
}

const jostle_bench::CoverSubject kSubject("write-ahead log", &log);

}  // namespace
