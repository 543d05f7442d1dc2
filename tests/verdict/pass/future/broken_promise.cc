// A promise destroyed without a value: the future throws broken_promise. A second set_value
// throws promise_already_satisfied.
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::future<int> future;
  std::thread t;
  {
    auto promise = std::make_unique<std::promise<int>>();
    future = promise->get_future();
    t = std::thread([p = std::move(promise)]() mutable { p.reset(); });
  }
  bool broken = false;
  try {
    future.get();
  } catch (const std::future_error& e) {
    broken = e.code() == std::future_errc::broken_promise;
  }
  assert(broken);
  t.join();
  std::promise<int> twice;
  twice.set_value(1);
  bool refused = false;
  try {
    twice.set_value(2);
  } catch (const std::future_error& e) {
    refused = e.code() == std::future_errc::promise_already_satisfied;
  }
  assert(refused);
}
