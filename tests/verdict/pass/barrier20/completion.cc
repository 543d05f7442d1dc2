// The completion function runs once per phase, before anybody leaves, ordered with both sides.
// CHECK: it has too many schedules to execute all of them here
#include <barrier>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int cell[3] = {0, 0, 0};
  int sum = 0, completions = 0;
  auto complete = [&]() noexcept {
    sum = cell[0] + cell[1] + cell[2];
    ++completions;
  };
  std::barrier barrier(3, complete);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      cell[i] = i + 1;
      barrier.arrive_and_wait();
      assert(sum == 6);
      barrier.arrive_and_wait();
    });
  }
  for (auto& t : threads) t.join();
  assert(completions == 2);
}
