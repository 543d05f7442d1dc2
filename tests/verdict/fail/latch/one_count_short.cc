// The latch is made for three, two count down.
#include <latch>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::latch latch(3);
  std::thread a([&] { latch.count_down(); });
  std::thread b([&] { latch.count_down(); });
  latch.wait();
  a.join();
  b.join();
}
