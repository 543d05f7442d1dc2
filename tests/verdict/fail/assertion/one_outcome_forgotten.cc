// The assertion forgets that an update can be lost.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> x{0};
  std::thread t1([&] { x.store(x.load() + 1); });
  std::thread t2([&] { x.store(x.load() + 2); });
  t1.join();
  t2.join();
  assert(x.load() == 3);
}
