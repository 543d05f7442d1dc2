// The byte that says "it is done" is written before it is done.
#include <unistd.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  int ends[2];
  assert(pipe(ends) == 0);
  int value = 0;
  std::thread t([&] {
    assert(write(ends[1], "x", 1) == 1);
    value = 7;
  });
  char byte = 0;
  assert(read(ends[0], &byte, 1) == 1);
  assert(value == 7);
  t.join();
  close(ends[0]);
  close(ends[1]);
}
