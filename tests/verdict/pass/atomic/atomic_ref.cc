// std::atomic_ref makes a plain variable atomic as long as everybody goes through it.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int counter = 0;
  auto work = [&] {
    std::atomic_ref<int> ref(counter);
    ref.fetch_add(1, std::memory_order_relaxed);
    ref.fetch_add(1);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 4);
}
