// Fails only if the checker runs between the two halves of the update, twice.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> a{0}, b{0};
  std::thread t([&] {
    a.store(1);
    b.store(1);
    a.store(2);
    b.store(2);
  });
  int a1 = a.load(), b1 = b.load();
  int a2 = a.load(), b2 = b.load();
  t.join();
  assert(!(a1 == 1 && b1 == 0 && a2 == 2 && b2 == 1));
}
