// Compare-and-swap loops, strong and weak, lose no update.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> value{0};
  auto strong = [&] {
    int old = value.load();
    while (!value.compare_exchange_strong(old, old + 1)) {
    }
  };
  auto weak = [&] {
    int old = value.load(std::memory_order_relaxed);
    while (!value.compare_exchange_weak(old, old + 10, std::memory_order_relaxed)) {
    }
  };
  std::thread a(strong), b(weak), c(strong);
  a.join();
  b.join();
  c.join();
  assert(value.load() == 12);
}
