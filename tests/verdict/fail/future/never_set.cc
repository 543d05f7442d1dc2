// The promise stays alive and is never set on one path.
#include <atomic>
#include <future>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::atomic<bool> cancelled{false};
  std::thread t([&] {
    if (!cancelled.load()) promise.set_value(1);
  });
  cancelled.store(true);
  future.get();
  t.join();
}
