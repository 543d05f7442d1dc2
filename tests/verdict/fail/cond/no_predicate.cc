// No predicate at all: the notification may come before the wait.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  std::condition_variable c;
  std::thread t([&] {
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock);
  });
  {
    std::lock_guard<std::mutex> lock(m);
    c.notify_one();
  }
  t.join();
}
