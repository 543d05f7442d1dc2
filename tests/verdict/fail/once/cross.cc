// Two flags whose functions each need the other one.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::once_flag a, b;
  std::thread t1([&] { std::call_once(a, [&] { std::call_once(b, [] {}); }); });
  std::thread t2([&] { std::call_once(b, [&] { std::call_once(a, [] {}); }); });
  t1.join();
  t2.join();
}
