// The first call throws: its caller gets the exception and the next caller runs the function.
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::once_flag flag;
  int attempts = 0, value = 0;
  std::atomic<int> caught{0};
  auto work = [&] {
    try {
      std::call_once(flag, [&] {
        if (++attempts == 1) throw std::runtime_error("first attempt");
        value = 42;
      });
      assert(value == 42);
    } catch (const std::runtime_error&) {
      caught.fetch_add(1);
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(caught.load() == 1 && attempts == 2 && value == 42);
}
