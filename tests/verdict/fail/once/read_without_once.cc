// A reader trusts that somebody else has already initialised the value.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::once_flag flag;
  int value = 0, seen = 0;
  std::thread t([&] { std::call_once(flag, [&] { value = 1; }); });
  seen = value;
  t.join();
  assert(seen == 0 || seen == 1);
}
