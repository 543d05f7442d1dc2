// One writes, one reads.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int value = 0;
  std::thread a([&] { value = 1; });
  int seen = value;
  a.join();
  assert(seen == 0 || seen == 1);
}
