// The predicate is set without the lock, so the notification can be lost.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  std::condition_variable_any c;
  std::atomic<bool> ready{false};
  std::thread t([&] {
    std::unique_lock<std::mutex> lock(m);
    while (!ready.load()) c.wait(lock);
  });
  ready.store(true);
  c.notify_all();
  t.join();
}
