// The initialiser gives up without releasing or aborting the guard; the next thread waits.
#include <cxxabi.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  abi::__guard guard = 0;
  auto init = [&](bool broken) {
    if (!abi::__cxa_guard_acquire(&guard)) return;
    if (broken) return;
    abi::__cxa_guard_release(&guard);
  };
  std::thread t1(init, true), t2(init, false);
  t1.join();
  t2.join();
}
