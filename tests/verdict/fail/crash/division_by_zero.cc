// The divisor becomes zero between the test and the division.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("crash") {
  std::atomic<int> divisor{1};
  std::thread t([&] { divisor.store(0); });
  volatile int result = 0;
  if (divisor.load() != 0) {
    int d = divisor.load();
    volatile int numerator = 10;
    result = numerator / d;
  }
  t.join();
  (void)result;
}
