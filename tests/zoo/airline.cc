// The airline of many bug collections: three agents sell while "sold < capacity", one seat left.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  constexpr int kCapacity = 2;
  std::atomic<int> sold{0};
  auto sell = [&] {
    if (sold.load() < kCapacity) sold.fetch_add(1);
  };
  std::thread a(sell), b(sell), c(sell);
  a.join();
  b.join();
  c.join();
  assert(sold.load() <= kCapacity);
}
