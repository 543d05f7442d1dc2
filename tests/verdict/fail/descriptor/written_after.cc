// The pipe orders what came before it was written, not what came afterwards.
#include <unistd.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int ends[2], value = 0;
  char byte = 'x';
  assert(pipe(ends) == 0);
  std::thread other([&] {
    assert(write(ends[1], &byte, 1) == 1);
    value = 42;
  });
  char got;
  assert(read(ends[0], &got, 1) == 1);
  const int seen = value;
  other.join();
  for (const int end : ends) close(end);
  assert(seen == 0 || seen == 42);
}
