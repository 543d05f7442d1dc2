// Peterson's lock with "turn" written before the flag: both threads get in, even under
// sequential consistency.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<bool> flag[2] = {false, false};
  std::atomic<int> turn{0}, inside{0};
  auto enter = [&](int me) {
    turn.store(1 - me);
    flag[me].store(true);
    while (flag[1 - me].load() && turn.load() == 1 - me) std::this_thread::yield();
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
    flag[me].store(false);
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
}
