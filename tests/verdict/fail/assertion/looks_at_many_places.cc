// One variable is looked at in many places, none of which is in a loop: all looks may be early.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> x{0}, y{0};
  std::thread t([&] {
    y = 1;
    x = 1;
  });
  int sum = 0;
#define LOOK sum += x.load();
#define LOOKS LOOK LOOK LOOK LOOK LOOK
  LOOKS LOOKS LOOKS LOOKS LOOKS LOOK while (!y.load()) {}
  t.join();
  assert(sum != 0);
}
