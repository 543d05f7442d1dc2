// A ring buffer whose producers claim a slot with fetch_add and fill it afterwards: a consumer that
// trusts the claim counter reads an empty slot.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> slots[4];
  for (auto& slot : slots) slot = 0;
  std::atomic<int> tail{0}, head{0};
  auto produce = [&](int v) { slots[tail.fetch_add(1)].store(v); };
  std::thread p1(produce, 1), p2(produce, 2);
  std::thread consumer([&] {
    if (head.load() < tail.load()) assert(slots[head.fetch_add(1)].load() != 0);
  });
  p1.join();
  p2.join();
  consumer.join();
}
