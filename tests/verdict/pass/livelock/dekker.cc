// Dekker's algorithm: whose turn it is not waits with its flag taken back.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> wants[2] = {false, false};
  std::atomic<int> turn{0};
  int inside = 0, done = 0;
  const auto enter = [&](int me) {
    wants[me] = true;
    while (wants[1 - me]) {
      if (turn == me) continue;
      wants[me] = false;
      while (turn != me) std::this_thread::yield();
      wants[me] = true;
    }
    assert(++inside == 1);
    ++done;
    --inside;
    turn = 1 - me;
    wants[me] = false;
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
  assert(done == 2);
}
