// What goes through one pipe says nothing about what another one is for.
#include <unistd.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int first[2], second[2];
  assert(pipe(first) == 0 && pipe(second) == 0);
  int value = 0;
  std::thread t([&] {
    value = 7;
    assert(write(first[1], "x", 1) == 1);
  });
  assert(write(second[1], "y", 1) == 1);
  char byte = 0;
  assert(read(second[0], &byte, 1) == 1);
  value = 8;
  assert(read(first[0], &byte, 1) == 1);
  t.join();
  for (int i = 0; i < 2; ++i) {
    close(first[i]);
    close(second[i]);
  }
}
