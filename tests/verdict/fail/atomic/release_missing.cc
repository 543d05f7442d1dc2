// The load is an acquire but the store is relaxed.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int data = 0;
  std::atomic<bool> ready{false};
  std::thread t([&] {
    data = 42;
    ready.store(true, std::memory_order_relaxed);
  });
  if (ready.load(std::memory_order_acquire)) assert(data == 42);
  t.join();
}
