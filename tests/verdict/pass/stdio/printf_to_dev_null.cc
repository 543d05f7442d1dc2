// Several threads print to one stream; each call is atomic by itself.
// CHECK: the program uses files or sockets in several threads
#include <cstdio>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  FILE* f = fopen("/dev/null", "w");
  assert(f);
  auto print = [&](int id) {
    for (int i = 0; i < 3; ++i) {
      assert(fprintf(f, "thread %d line %d\n", id, i) > 0);
      assert(fputc('x', f) == 'x');
      assert(fflush(f) == 0);
    }
  };
  std::thread a(print, 1), b(print, 2);
  flockfile(f);
  assert(fprintf(f, "in between\n") > 0);
  assert(putc_unlocked('y', f) == 'y');
  funlockfile(f);
  a.join();
  b.join();
  assert(fclose(f) == 0);
}
