// Two threads answer the same request; the second set_value throws in a thread.
#include <atomic>
#include <future>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::atomic<bool> answered{false};
  auto answer = [&](int v) {
    if (!answered.load()) {
      promise.set_value(v);
      answered.store(true);
    }
  };
  std::thread a(answer, 1), b(answer, 2);
  a.join();
  b.join();
  assert(future.get() > 0);
}
