// lost_update with an atomic read-modify-write.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> counter{0};
  auto add = [&] { counter.fetch_add(1, std::memory_order_relaxed); };
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(counter.load() == 2);
}
