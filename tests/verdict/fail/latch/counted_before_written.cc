// The worker counts down before it writes its result.
#include <latch>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::latch latch(1);
  int result = 0;
  std::thread t([&] {
    latch.count_down();
    result = 1;
  });
  latch.wait();
  int seen = result;
  t.join();
  assert(seen == 0 || seen == 1);
}
