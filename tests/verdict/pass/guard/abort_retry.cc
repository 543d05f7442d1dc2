// The initialisation of a local static throws once (guard abort); a later thread retries.
#include <cxxabi.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  abi::__guard guard = 0;
  int object = 0;
  std::atomic<int> attempts{0}, caught{0};
  auto get = [&]() -> int& {
    if (!__atomic_load_n(reinterpret_cast<char*>(&guard), __ATOMIC_ACQUIRE)) {
      if (abi::__cxa_guard_acquire(&guard)) {
        try {
          if (++attempts == 1) throw std::runtime_error("first attempt");
          object = 42;
        } catch (...) {
          abi::__cxa_guard_abort(&guard);
          throw;
        }
        abi::__cxa_guard_release(&guard);
      }
    }
    return object;
  };
  auto work = [&] {
    try {
      assert(get() == 42);
    } catch (const std::runtime_error&) {
      caught.fetch_add(1);
    }
  };
  std::thread t1(work), t2(work), t3(work);
  t1.join();
  t2.join();
  t3.join();
  assert(caught.load() == 1 && attempts == 2 && object == 42);
}
