// Each access is atomic, the increment is not.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> counter{0};
  auto work = [&] { counter.store(counter.load() + 1); };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter.load() == 2);
}
