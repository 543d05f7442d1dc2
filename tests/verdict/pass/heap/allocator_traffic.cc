// Threads allocate, grow and free on their own; freed blocks may be reused by others without
// that being a race.
#include <cstdlib>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  auto work = [](int v) {
    for (int i = 0; i < 3; ++i) {
      auto* p = static_cast<int*>(malloc(4 * sizeof(int)));
      for (int k = 0; k < 4; ++k) p[k] = v;
      std::this_thread::yield();
      p = static_cast<int*>(realloc(p, 64 * sizeof(int)));
      for (int k = 0; k < 4; ++k) assert(p[k] == v);
      free(p);
      auto* z = static_cast<int*>(calloc(4, sizeof(int)));
      assert(z[0] == 0 && z[3] == 0);
      free(z);
      free(nullptr);
    }
  };
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join();
  b.join();
  c.join();
}
