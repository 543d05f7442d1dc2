// A home-made once: the flag is set before the work is done.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<bool> started{false};
  std::atomic<int> value{0};
  auto get = [&] {
    if (!started.exchange(true)) value.store(42);
    return value.load();
  };
  std::thread t([&] { assert(get() == 42); });
  assert(get() == 42);
  t.join();
}
