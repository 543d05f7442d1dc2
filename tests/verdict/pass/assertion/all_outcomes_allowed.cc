// The assertion admits exactly the outcomes that can happen.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> x{0};
  std::thread t1([&] { x.store(x.load() + 1); });
  std::thread t2([&] { x.store(x.load() + 2); });
  t1.join();
  t2.join();
  int v = x.load();
  assert(v == 1 || v == 2 || v == 3);
}
