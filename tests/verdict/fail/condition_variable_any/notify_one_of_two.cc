// Two threads wait for the gate, one is notified.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::shared_mutex m;
  std::condition_variable_any c;
  bool open = false;
  auto wait = [&] {
    std::shared_lock<std::shared_mutex> lock(m);
    while (!open) c.wait(lock);
  };
  std::thread a(wait), b(wait);
  {
    std::unique_lock<std::shared_mutex> lock(m);
    open = true;
  }
  c.notify_one();
  a.join();
  b.join();
}
