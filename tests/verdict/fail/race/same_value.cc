// Both write the same value: still a race.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  bool flag = false;
  std::thread a([&] { flag = true; });
  std::thread b([&] { flag = true; });
  a.join();
  b.join();
  assert(flag);
}
