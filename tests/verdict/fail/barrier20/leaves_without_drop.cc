// A thread leaves after one phase without arrive_and_drop; the other waits in the second.
#include <barrier>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::barrier barrier(2);
  std::thread a([&] { barrier.arrive_and_wait(); });
  barrier.arrive_and_wait();
  barrier.arrive_and_wait();
  a.join();
}
