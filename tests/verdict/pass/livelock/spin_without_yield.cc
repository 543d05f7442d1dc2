// A busy wait without a yield for a flag that will be set: slow, but it ends when the setter runs.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> ready{false};
  std::thread t([&] { ready.store(true, std::memory_order_release); });
  while (!ready.load(std::memory_order_acquire)) {
  }
  t.join();
}
