// What is decided by a comparison of strings depends on who comes first.
#include <cstring>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  char text[32] = "stop";
  std::thread t([&] { std::strncpy(text, "go", sizeof text); });
  const bool goes = std::strcmp(text, "go") == 0;
  t.join();
  assert(!goes);
}
