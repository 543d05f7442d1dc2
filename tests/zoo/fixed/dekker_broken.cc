// Dekker's algorithm as published.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> wants[2] = {false, false};
  std::atomic<int> turn{0};
  int counter = 0;
  auto enter = [&](int me) {
    wants[me].store(true);
    while (wants[1 - me].load()) {
      if (turn.load() != me) {
        wants[me].store(false);
        while (turn.load() != me) std::this_thread::yield();
        wants[me].store(true);
      } else {
        std::this_thread::yield();
      }
    }
    ++counter;
    turn.store(1 - me);
    wants[me].store(false);
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
  assert(counter == 2);
}
