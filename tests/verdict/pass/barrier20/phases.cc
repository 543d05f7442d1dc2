// Two phases of a std::barrier exchange plain data.
// CHECK: it has too many schedules to execute all of them here
#include <barrier>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::barrier barrier(2);
  int cell[2] = {0, 0};
  auto work = [&](int me) {
    for (int phase = 1; phase <= 2; ++phase) {
      cell[me] = phase;
      barrier.arrive_and_wait();
      assert(cell[1 - me] == phase);
      barrier.arrive_and_wait();
    }
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
