// wait_for on a promise that is set some time: timeout or ready; never ready before it is set.
#include <chrono>
#include <future>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  std::promise<void> promise;
  auto future = promise.get_future();
  assert(future.wait_for(1ms) == std::future_status::timeout);
  std::thread t([&] { promise.set_value(); });
  while (future.wait_for(1ms) != std::future_status::ready) {
  }
  future.get();
  t.join();
}
