// A retry loop with a bound ends in every schedule, with or without success.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> flag{false};
  std::thread t([&] { flag.store(true); });
  bool seen = false;
  for (int i = 0; i < 100 && !seen; ++i) {
    seen = flag.load();
    std::this_thread::yield();
  }
  t.join();
  assert(flag.load());
}
