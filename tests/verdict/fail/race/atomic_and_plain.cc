// One side uses std::atomic_ref, the other a plain access.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int value = 0;
  std::thread a([&] { std::atomic_ref<int>(value).store(1); });
  int seen = value;
  a.join();
  assert(seen == 0 || seen == 1);
}
