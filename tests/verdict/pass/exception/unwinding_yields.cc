// Destructors that run during unwinding switch threads; uncaught_exceptions stays per thread.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Yields {
  int expected;
  ~Yields() {
    std::this_thread::yield();
    assert(std::uncaught_exceptions() == expected);
    std::this_thread::yield();
    assert(std::uncaught_exceptions() == expected);
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  std::mutex m;
  int handled = 0;
  auto throws = [&] {
    try {
      Yields y{1};
      std::lock_guard<std::mutex> lock(m);
      throw std::runtime_error("unlocks on the way");
    } catch (const std::runtime_error&) {
      std::lock_guard<std::mutex> lock(m);
      ++handled;
    }
  };
  std::thread a(throws), b(throws);
  std::thread c([] { Yields y{0}; });
  a.join();
  b.join();
  c.join();
  assert(handled == 2);
}
