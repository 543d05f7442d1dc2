// Ownership of a heap object moves through an atomic pointer by exchange.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int*> box{new int(1)};
  auto work = [&] {
    if (int* mine = box.exchange(nullptr, std::memory_order_acq_rel)) {
      ++*mine;
      box.store(mine, std::memory_order_release);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  int* last = box.load();
  assert(last && *last >= 2 && *last <= 3);
  delete last;
}
