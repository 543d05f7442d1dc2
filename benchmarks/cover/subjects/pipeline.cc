// Three stages with bounded queues between them; a failing record stops the pipeline early.
#include <condition_variable>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

class Queue {
 public:
  bool put(int v) {
    std::unique_lock lock(mutex_);
    while (count_ == kRoom && !closed_) not_full_.wait(lock);
    if (closed_) return false;
    items_[(first_ + count_++) % kRoom] = v;
    not_empty_.notify_one();
    return true;
  }
  bool get(int& v) {
    std::unique_lock lock(mutex_);
    while (count_ == 0 && !closed_) not_empty_.wait(lock);
    if (count_ == 0) return false;
    v = items_[first_];
    first_ = (first_ + 1) % kRoom;
    --count_;
    not_full_.notify_one();
    return true;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    not_full_.notify_all();
    not_empty_.notify_all();
  }

 private:
  static constexpr int kRoom = 2;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  int items_[kRoom] = {}, first_ = 0, count_ = 0;
  bool closed_ = false;
};

void pipeline() {
  Queue parsed, transformed;
  std::mutex mutex;
  int done = 0, errors = 0;
  std::thread reader([&] {
    for (int i = 1; i <= 5; ++i)
      if (!parsed.put(i)) break;
    parsed.close();
  });
  std::thread worker([&] {
    for (int v; parsed.get(v);) {
      if (v == 4) {
        const std::lock_guard lock(mutex);
        if (done < 2) {  // only if the writer lags behind
          ++errors;
          parsed.close();
        }
      }
      if (!transformed.put(v * v)) break;
    }
    transformed.close();
  });
  std::thread writer([&] {
    for (int v; transformed.get(v);) {
      const std::lock_guard lock(mutex);
      done += v > 0;
      if (errors) break;
    }
    transformed.close();
  });
  reader.join();
  worker.join();
  writer.join();
}

const jostle_bench::CoverSubject kSubject("pipeline", &pipeline);

}  // namespace
