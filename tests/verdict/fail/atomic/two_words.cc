// Two atomics that belong together are updated one after the other.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> low{0}, high{0};
  std::thread t([&] {
    low.store(1);
    high.store(1);
  });
  int h = high.load();
  int l = low.load();
  t.join();
  assert(h == l);
}
