// One thread copies a string to where another compares it.
#include <cstring>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  char text[32] = "stop";
  std::thread t([&] { std::strcpy(text, "go"); });
  volatile bool goes = std::strcmp(text, "go") == 0;
  t.join();
  (void)goes;
}
