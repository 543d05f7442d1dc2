// Three threads take turns through one atomic, yielding while it is not theirs.
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> turn{0};
  int total = 0;
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me) {
    threads.emplace_back([&, me] {
      for (int round = 0; round < 2; ++round) {
        while (turn.load() % 3 != me) assert(sched_yield() == 0);
        ++total;
        turn.fetch_add(1);
      }
    });
  }
  for (auto& t : threads) t.join();
  assert(total == 6);
}
