// Two local statics whose initialisers need each other, entered from both ends at once. Entered
// from one end only, the inner one does not go back.
#include <cxxabi.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  abi::__guard a = 0, b = 0;
  auto init = [](abi::__guard* first, abi::__guard* second) {
    if (!abi::__cxa_guard_acquire(first)) return;
    if (abi::__cxa_guard_acquire(second)) abi::__cxa_guard_release(second);
    abi::__cxa_guard_release(first);
  };
  std::thread t1(init, &a, &b), t2(init, &b, &a);
  t1.join();
  t2.join();
}
