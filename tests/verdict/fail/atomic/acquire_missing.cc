// The store is a release but the load is relaxed and there is no fence.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int data = 0;
  std::atomic<bool> ready{false};
  std::thread t([&] {
    data = 42;
    ready.store(true, std::memory_order_release);
  });
  if (ready.load(std::memory_order_relaxed)) assert(data == 42);
  t.join();
}
