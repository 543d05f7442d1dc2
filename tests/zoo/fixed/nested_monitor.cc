// nested_monitor with one monitor.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex inner;
  std::condition_variable c;
  bool ready = false;
  std::thread waiter([&] {
    std::unique_lock<std::mutex> i(inner);
    while (!ready) c.wait(i);
  });
  std::thread notifier([&] {
    std::lock_guard<std::mutex> i(inner);
    ready = true;
    c.notify_one();
  });
  waiter.join();
  notifier.join();
}
