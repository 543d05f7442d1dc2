// Lamport's bakery without the "choosing" flag: two customers with the same number both enter.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> number[2] = {0, 0};
  std::atomic<int> inside{0};
  auto enter = [&](int me) {
    int other = 1 - me;
    number[me].store(number[other].load() + 1);
    for (;;) {
      int theirs = number[other].load();
      int mine = number[me].load();
      if (theirs == 0 || mine < theirs || (mine == theirs && me < other)) break;
      std::this_thread::yield();
    }
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
    number[me].store(0);
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
}
