// Two threads alternate through one atomic with wait and notify.
// CHECK: it has too many schedules to execute all of them here
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> turn{0};
  int total = 0;
  auto play = [&](int me) {
    for (int round = 0; round < 2; ++round) {
      int seen;
      while ((seen = turn.load()) % 2 != me) turn.wait(seen);
      ++total;
      turn.fetch_add(1);
      turn.notify_all();
    }
  };
  std::thread a(play, 0), b(play, 1);
  a.join();
  b.join();
  assert(total == 4);
}
