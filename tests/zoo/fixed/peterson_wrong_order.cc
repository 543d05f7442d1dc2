// Peterson's lock in the right order protects a plain counter.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> flag[2] = {false, false};
  std::atomic<int> turn{0};
  int counter = 0;
  auto enter = [&](int me) {
    for (int round = 0; round < 2; ++round) {
      flag[me].store(true);
      turn.store(1 - me);
      while (flag[1 - me].load() && turn.load() == 1 - me) std::this_thread::yield();
      ++counter;
      flag[me].store(false);
    }
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
  assert(counter == 4);
}
