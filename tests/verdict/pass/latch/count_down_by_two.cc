// count_down(n) counts n; a latch of zero never blocks.
#include <latch>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::latch zero(0), four(4);
  zero.wait();
  assert(zero.try_wait());
  int data[2] = {0, 0};
  std::thread a([&] {
    data[0] = 1;
    four.count_down(2);
  });
  std::thread b([&] {
    data[1] = 1;
    four.count_down(2);
  });
  four.wait();
  assert(data[0] + data[1] == 2);
  a.join();
  b.join();
}
