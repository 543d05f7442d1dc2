// The result of the thread is read before the join.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int result = 0;
  std::thread t([&] { result = 42; });
  int early = result;
  t.join();
  assert(early == 0 || early == 42);
}
