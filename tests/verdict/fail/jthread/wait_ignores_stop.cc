// The thread waits without looking at its stop token: the destructor's join never ends.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  std::condition_variable_any c;
  std::jthread t([&](std::stop_token stop) {
    std::unique_lock<std::mutex> lock(m);
    if (!stop.stop_requested()) c.wait(lock);
  });
}
