// One weak compare-and-swap each, without a loop: an update is lost.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> counter{0};
  auto work = [&] {
    int old = counter.load();
    counter.compare_exchange_weak(old, old + 1);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter.load() == 2);
}
