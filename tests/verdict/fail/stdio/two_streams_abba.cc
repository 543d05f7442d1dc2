// Two streams are locked in opposite orders.
#include <cstdio>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  FILE* f = fopen("/dev/null", "w");
  FILE* g = fopen("/dev/null", "w");
  auto work = [](FILE* first, FILE* second) {
    flockfile(first);
    flockfile(second);
    funlockfile(second);
    funlockfile(first);
  };
  std::thread a(work, f, g), b(work, g, f);
  a.join();
  b.join();
  fclose(f);
  fclose(g);
}
