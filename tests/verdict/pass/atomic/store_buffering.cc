// Sequentially consistent store buffering: both threads cannot read zero.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> x{0}, y{0};
  int rx = -1, ry = -1;
  std::thread a([&] {
    x.store(1);
    ry = y.load();
  });
  std::thread b([&] {
    y.store(1);
    rx = x.load();
  });
  a.join();
  b.join();
  assert(rx == 1 || ry == 1);
}
