// arrive_and_wait of three threads; afterwards everybody sees everybody's cell.
// CHECK: it has too many schedules to execute all of them here
#include <latch>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::latch latch(3);
  int cell[3] = {0, 0, 0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      cell[i] = 1;
      latch.arrive_and_wait();
      assert(cell[0] + cell[1] + cell[2] == 3);
    });
  }
  for (auto& t : threads) t.join();
}
