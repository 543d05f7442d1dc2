// The flag is tested before the mutex is taken: the signal can fall in between.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  std::condition_variable c;
  std::atomic<bool> ready{false};
  std::thread t([&] {
    if (!ready.load()) {
      std::unique_lock<std::mutex> lock(m);
      c.wait(lock);
    }
  });
  ready.store(true);
  {
    std::lock_guard<std::mutex> lock(m);
    c.notify_one();
  }
  t.join();
}
