// Each call takes the lock of the stream, all of them together do not: one increment gets lost.
#include <cstdio>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  FILE* f = std::tmpfile();
  const auto increment = [&] {
    int n = 0;
    std::rewind(f);
    if (std::fscanf(f, "%d", &n) != 1) n = 0;
    std::rewind(f);
    std::fprintf(f, "%d", n + 1);
    std::fflush(f);
  };
  std::thread a(increment), b(increment);
  a.join();
  b.join();
  int n = 0;
  std::rewind(f);
  assert(std::fscanf(f, "%d", &n) == 1);
  std::fclose(f);
  assert(n == 2);
}
