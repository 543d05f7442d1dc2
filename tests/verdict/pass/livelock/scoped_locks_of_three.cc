// std::scoped_lock of three mutexes, by three threads, each in another order.
// CHECK: it has too many schedules to execute all of them here
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex a, b, c;
  int done = 0;
  const auto work = [&done](std::mutex& x, std::mutex& y, std::mutex& z) {
    std::scoped_lock lock(x, y, z);
    ++done;
  };
  std::thread t([&] { work(a, b, c); });
  std::thread u([&] { work(b, c, a); });
  work(c, b, a);
  t.join();
  u.join();
  assert(done == 3);
}
