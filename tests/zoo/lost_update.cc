// The oldest one: two threads read, add and write back a plain counter; one update is lost.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  int counter = 0;
  auto add = [&] {
    int copy = counter;
    counter = copy + 1;
  };
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(counter == 2);
}
