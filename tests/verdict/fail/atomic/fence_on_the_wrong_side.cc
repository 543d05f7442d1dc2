// The release fence comes after the store it should precede.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int data = 0;
  std::atomic<bool> ready{false};
  std::thread t([&] {
    data = 42;
    ready.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  });
  if (ready.load(std::memory_order_relaxed)) {
    std::atomic_thread_fence(std::memory_order_acquire);
    assert(data == 42);
  }
  t.join();
}
