// try_wait is taken for a wait.
#include <latch>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::latch latch(1);
  std::thread t([&] { latch.count_down(); });
  bool done = latch.try_wait();
  t.join();
  assert(done);
}
