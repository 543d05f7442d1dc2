// A thread that a constructor starts and a destructor waits for.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

class Summing {
 public:
  ~Summing() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
    std::printf("%d\n", sum_);
  }
  void add(int n) {
    const std::lock_guard lock(mutex_);
    due_ += n;
    changed_.notify_one();
  }
  // Wrong: it may not have been added yet.
  int sum() {
    const std::lock_guard lock(mutex_);
    return sum_;
  }

 private:
  void go_on() {
    std::unique_lock lock(mutex_);
    do {
      changed_.wait(lock, [this] { return over_ || due_ > 0; });
      sum_ += due_;
      due_ = 0;
    } while (!over_);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int due_ = 0, sum_ = 0;
  bool over_ = false;
  std::thread thread_{[this] { go_on(); }};
};

Summing g_sum;

}  // namespace

int main(int argc, char** argv) {
  std::thread other([] { g_sum.add(1); });
  g_sum.add(2);
  other.join();
  if (argc > 1 && std::strcmp(argv[1], "early") == 0) assert(g_sum.sum() != 1);
}
