// A value, and plain data written before it, travel through promise and future.
#include <future>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  int side = 0;
  std::thread t([&] {
    side = 1;
    promise.set_value(42);
  });
  assert(future.get() == 42);
  assert(side == 1);
  t.join();
}
