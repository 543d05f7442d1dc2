// Exceptions in flight and being handled belong to their thread, whatever runs in between.
#include <exception>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  auto work = [](int id) {
    try {
      try {
        throw id;
      } catch (int e) {
        std::this_thread::yield();
        assert(e == id);
        std::this_thread::yield();
        throw;
      }
    } catch (int e) {
      std::this_thread::yield();
      assert(e == id);
    }
    assert(std::uncaught_exceptions() == 0);
    assert(!std::current_exception());
  };
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join();
  b.join();
  c.join();
}
