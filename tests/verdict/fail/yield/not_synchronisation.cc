// A yield is taken for synchronisation.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int data = 0;
  std::thread t([&] { data = 1; });
  std::this_thread::yield();
  int seen = data;
  t.join();
  assert(seen == 0 || seen == 1);
}
