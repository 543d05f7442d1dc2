// Dekker's first attempt: look at the other's flag, then raise one's own.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<bool> flag[2] = {false, false};
  std::atomic<int> inside{0};
  auto enter = [&](int me) {
    while (flag[1 - me].load()) std::this_thread::yield();
    flag[me].store(true);
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
    flag[me].store(false);
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
}
