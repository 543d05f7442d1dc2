// The flag is changed under a different mutex than the one the waiter tests it with.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex waiter_mutex, setter_mutex;
  std::condition_variable c;
  std::atomic<bool> ready{false};
  std::thread waiter([&] {
    std::unique_lock<std::mutex> lock(waiter_mutex);
    while (!ready.load()) c.wait(lock);
  });
  {
    std::lock_guard<std::mutex> lock(setter_mutex);
    ready.store(true);
    c.notify_one();
  }
  waiter.join();
}
