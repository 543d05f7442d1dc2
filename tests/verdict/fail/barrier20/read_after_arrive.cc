// The neighbour's cell is read after arrive, before wait.
#include <barrier>
#include <thread>
#include <utility>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::barrier barrier(2);
  int cell[2] = {0, 0};
  int seen[2] = {0, 0};
  auto work = [&](int me) {
    cell[me] = 1;
    auto token = barrier.arrive();
    seen[me] = cell[1 - me];
    barrier.wait(std::move(token));
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
