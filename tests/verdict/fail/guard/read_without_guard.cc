// The fast path looks at the object instead of at the guard.
#include <cxxabi.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  abi::__guard guard = 0;
  int object = 0;
  auto get = [&] {
    if (object != 0) return object;
    if (abi::__cxa_guard_acquire(&guard)) {
      object = 42;
      abi::__cxa_guard_release(&guard);
    }
    return object;
  };
  std::thread t1([&] { assert(get() == 42); });
  std::thread t2([&] { assert(get() == 42); });
  t1.join();
  t2.join();
}
