// Gaussian elimination on bands of rows: a row is free to be used when its owner has published it,
// and who has nothing left to do takes columns of the substitution.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

constexpr int kRows = 4, kThreads = 3;

class System {
 public:
  System() {
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kRows; ++c) cell_[r][c] = r == c ? kRows : 1;
  }
  void eliminate(int thread) {
    for (int pivot = 0; pivot < kRows; ++pivot) {
      if (pivot % kThreads == thread)
        publish(pivot);
      else
        wait_for(pivot);
      for (int r = pivot + 1; r < kRows; ++r) {
        if (r % kThreads != thread) continue;
        const double factor = cell_[r][pivot] / cell_[pivot][pivot];
        for (int c = pivot; c < kRows; ++c) cell_[r][c] -= factor * cell_[pivot][c];
      }
    }
    done_.fetch_add(1);
    for (int c; (c = column_.fetch_add(1)) < kRows;) {
      const std::lock_guard lock(mutex_);
      trace_ += cell_[c][c] > 0;
      if (done_.load() < kThreads) ++early_;
    }
  }

 private:
  void publish(int row) {
    const std::lock_guard lock(mutex_);
    ready_ = row + 1;
    published_.notify_all();
  }
  void wait_for(int row) {
    std::unique_lock lock(mutex_);
    while (ready_ <= row) published_.wait(lock);
  }

  double cell_[kRows][kRows];
  std::mutex mutex_;
  std::condition_variable published_;
  int ready_ = 0, trace_ = 0, early_ = 0;
  std::atomic<int> done_{0}, column_{0};
};

void elimination() {
  System s;
  std::thread a([&] { s.eliminate(0); });
  std::thread b([&] { s.eliminate(1); });
  s.eliminate(2);
  a.join();
  b.join();
}

const jostle_bench::CoverSubject kSubject("elimination", &elimination);

}  // namespace
