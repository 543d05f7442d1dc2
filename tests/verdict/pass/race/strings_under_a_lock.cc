// Strings that are written and read under a lock, and the parts of one buffer that each has for
// itself.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  char shared[64] = "", parts[2][16];
  std::mutex m;
  const auto work = [&](int me) {
    std::snprintf(parts[me], sizeof parts[me], "%d.", me);
    std::lock_guard lock(m);
    std::strcat(shared, parts[me]);
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  assert(std::strlen(shared) == 4);
  assert(std::strcmp(shared, "0.1.") == 0 || std::strcmp(shared, "1.0.") == 0);
  assert(std::memcmp(parts[0], "0.", 3) == 0 && std::strncmp(parts[1], "1.", 2) == 0);
}
