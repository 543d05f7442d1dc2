// Nested monitor lockout: waiting releases the inner lock but not the outer one, which the
// notifier needs.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex outer, inner;
  std::condition_variable c;
  bool ready = false;
  std::thread waiter([&] {
    std::lock_guard<std::mutex> o(outer);
    std::unique_lock<std::mutex> i(inner);
    while (!ready) c.wait(i);
  });
  std::thread notifier([&] {
    std::lock_guard<std::mutex> o(outer);
    std::lock_guard<std::mutex> i(inner);
    ready = true;
    c.notify_one();
  });
  waiter.join();
  notifier.join();
}
