// airline with a compare-and-swap loop.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  constexpr int kCapacity = 2;
  std::atomic<int> sold{0};
  auto sell = [&] {
    int seen = sold.load();
    while (seen < kCapacity && !sold.compare_exchange_weak(seen, seen + 1)) {
    }
  };
  std::thread a(sell), b(sell), c(sell);
  a.join();
  b.join();
  c.join();
  assert(sold.load() == kCapacity);
}
