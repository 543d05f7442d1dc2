// std::scoped_lock and std::lock take two mutexes in any order without deadlock.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex a, b;
  int x = 0, y = 0;
  std::thread t1([&] {
    std::scoped_lock lock(a, b);
    ++x;
    ++y;
  });
  std::thread t2([&] {
    std::lock(b, a);
    std::lock_guard<std::mutex> lb(b, std::adopt_lock);
    std::lock_guard<std::mutex> la(a, std::adopt_lock);
    ++y;
    ++x;
  });
  t1.join();
  t2.join();
  assert(x == 2 && y == 2);
}
