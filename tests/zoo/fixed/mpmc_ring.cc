// mpmc_ring with a sequence number per slot, after Vyukov's bounded queue.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  struct Slot {
    std::atomic<bool> full{false};
    int value = 0;
  };
  Slot slots[4];
  std::atomic<int> tail{0};
  auto produce = [&](int v) {
    Slot& slot = slots[tail.fetch_add(1)];
    slot.value = v;
    slot.full.store(true, std::memory_order_release);
  };
  std::thread p1(produce, 1), p2(produce, 2);
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    while (!slots[i].full.load(std::memory_order_acquire)) std::this_thread::yield();
    sum += slots[i].value;
  }
  p1.join();
  p2.join();
  assert(sum == 3);
}
