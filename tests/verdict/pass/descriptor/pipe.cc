// What was done before a byte is written to a pipe is known to whoever reads it.
// CHECK: it has too many schedules to execute all of them here
#include <unistd.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int ends[2];
  assert(pipe(ends) == 0);
  int value = 0;
  std::thread t([&] {
    value = 7;
    assert(write(ends[1], "x", 1) == 1);
    close(ends[1]);
  });
  char byte = 0;
  assert(read(ends[0], &byte, 1) == 1);
  assert(value == 7);
  value = 8;
  assert(read(ends[0], &byte, 1) == 0);
  close(ends[0]);
  t.join();
}
