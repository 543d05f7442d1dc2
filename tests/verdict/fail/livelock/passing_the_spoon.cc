// Two diners share a spoon and always pass it on while the other is hungry.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<int> owner{0};
  std::atomic<bool> hungry[2] = {false, false};
  auto dine = [&](int me) {
    hungry[me].store(true);
    while (hungry[me].load()) {
      if (owner.load() != me) {
        std::this_thread::yield();
      } else if (hungry[1 - me].load()) {
        owner.store(1 - me);
      } else {
        hungry[me].store(false);
        owner.store(1 - me);
      }
    }
  };
  std::thread a(dine, 0), b(dine, 1);
  a.join();
  b.join();
}
