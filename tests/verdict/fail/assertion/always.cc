// Fails in every schedule, in the body itself.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  int sum = 0;
  std::thread t([&] { sum = 2 + 2; });
  t.join();
  assert(sum == 5);
}
