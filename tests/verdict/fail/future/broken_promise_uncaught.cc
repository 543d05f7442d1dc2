// The worker drops the promise when it is told to stop early; the waiting thread does not expect
// broken_promise.
#include <atomic>
#include <future>
#include <thread>
#include <utility>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::atomic<bool> stop{false};
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread worker([&, p = std::move(promise)]() mutable {
    if (stop.load()) {
      std::promise<int> dropped = std::move(p);
    } else {
      p.set_value(1);
    }
  });
  std::thread waiter([&] { assert(future.get() == 1); });
  stop.store(true);
  worker.join();
  waiter.join();
}
