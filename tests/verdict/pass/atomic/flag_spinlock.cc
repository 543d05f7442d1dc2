// A spin lock from std::atomic_flag; the loop yields.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  int counter = 0;
  auto work = [&] {
    while (flag.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    ++counter;
    flag.clear(std::memory_order_release);
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(counter == 3);
}
