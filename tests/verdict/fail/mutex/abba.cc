// Two mutexes taken in opposite orders.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex a, b;
  std::thread t1([&] {
    std::lock_guard<std::mutex> la(a);
    std::lock_guard<std::mutex> lb(b);
  });
  std::thread t2([&] {
    std::lock_guard<std::mutex> lb(b);
    std::lock_guard<std::mutex> la(a);
  });
  t1.join();
  t2.join();
}
