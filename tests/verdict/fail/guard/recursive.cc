// The initialiser of a local static needs the static itself.
#include <cxxabi.h>

#include <thread>

#include "tests/support/case.h"

namespace {

int Get(abi::__guard* guard, int depth) {
  if (!__atomic_load_n(reinterpret_cast<char*>(guard), __ATOMIC_ACQUIRE)) {
    if (abi::__cxa_guard_acquire(guard)) {
      if (depth == 0) Get(guard, 1);
      abi::__cxa_guard_release(guard);
    }
  }
  return 1;
}

}  // namespace

JOSTLE_CASE("deadlock") {
  abi::__guard guard = 0;
  std::thread t([&] { Get(&guard, 0); });
  t.join();
}
