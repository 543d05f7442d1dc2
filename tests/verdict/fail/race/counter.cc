// Two threads write a plain counter; nothing else is wrong.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int counter = 0;
  std::thread a([&] { ++counter; });
  std::thread b([&] { ++counter; });
  a.join();
  b.join();
}
