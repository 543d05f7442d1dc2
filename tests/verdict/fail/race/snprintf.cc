// Two threads print into one buffer.
#include <cstdio>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  char text[32] = "";
  std::thread t([&] { std::snprintf(text, sizeof text, "%d", 17); });
  std::snprintf(text, sizeof text, "%d", 4);
  t.join();
}
