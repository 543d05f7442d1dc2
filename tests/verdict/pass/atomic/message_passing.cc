// Plain data published by a release store and read after an acquire load: no race.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int data = 0;
  std::atomic<bool> ready{false};
  std::thread t([&] {
    data = 42;
    ready.store(true, std::memory_order_release);
  });
  if (ready.load(std::memory_order_acquire)) assert(data == 42);
  t.join();
}
