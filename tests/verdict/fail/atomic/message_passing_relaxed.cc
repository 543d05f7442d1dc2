// The flag is relaxed on both sides: the plain data is not published.
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
  if (ready.load(std::memory_order_relaxed)) assert(data == 42);
  t.join();
}
