// ftrylockfile: nonzero while another thread holds the stream, 0 for the owner (recursive).
#include <cstdio>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  FILE* f = fopen("/dev/null", "w");
  assert(f);
  flockfile(f);
  assert(ftrylockfile(f) == 0);
  std::thread t([&] { assert(ftrylockfile(f) != 0); });
  t.join();
  funlockfile(f);
  std::thread u([&] { assert(ftrylockfile(f) != 0); });
  u.join();
  funlockfile(f);
  std::thread v([&] {
    assert(ftrylockfile(f) == 0);
    funlockfile(f);
  });
  v.join();
  assert(fclose(f) == 0);
}
