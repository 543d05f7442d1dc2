// Stacks and heap blocks of threads that are gone are reused by later ones without a race.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  auto work = [](int seed) {
    volatile int local[16];
    for (int i = 0; i < 16; ++i) local[i] = seed + i;
    assert(local[15] == seed + 15);
  };
  for (int round = 0; round < 3; ++round) {
    std::thread a(work, round), b(work, 10 * round);
    a.join();
    b.join();
  }
}
