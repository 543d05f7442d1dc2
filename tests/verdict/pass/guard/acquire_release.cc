// What the compiler emits for a local static, by hand, so that every execution initialises anew.
#include <cxxabi.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  abi::__guard guard = 0;
  int object = 0, runs = 0;
  auto get = [&]() -> int& {
    if (!__atomic_load_n(reinterpret_cast<char*>(&guard), __ATOMIC_ACQUIRE)) {
      if (abi::__cxa_guard_acquire(&guard)) {
        ++runs;
        object = 42;
        abi::__cxa_guard_release(&guard);
      }
    }
    return object;
  };
  auto work = [&] { assert(get() == 42); };
  std::thread t1(work), t2(work), t3(work);
  t1.join();
  t2.join();
  t3.join();
  assert(runs == 1);
}
