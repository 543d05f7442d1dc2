// Data written after set_value is not published by it.
#include <future>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::promise<void> promise;
  auto future = promise.get_future();
  int data = 0;
  std::thread t([&] {
    promise.set_value();
    data = 1;
  });
  future.get();
  int seen = data;
  t.join();
  assert(seen == 0 || seen == 1);
}
