// Lamport's bakery with the "choosing" flag.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> choosing[2] = {false, false};
  std::atomic<int> number[2] = {0, 0};
  int counter = 0;
  auto enter = [&](int me) {
    int other = 1 - me;
    choosing[me].store(true);
    int mine = number[other].load() + 1;
    number[me].store(mine);
    choosing[me].store(false);
    while (choosing[other].load()) std::this_thread::yield();
    for (;;) {
      int theirs = number[other].load();
      if (theirs == 0 || mine < theirs || (mine == theirs && me < other)) break;
      std::this_thread::yield();
    }
    ++counter;
    number[me].store(0);
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
  assert(counter == 2);
}
