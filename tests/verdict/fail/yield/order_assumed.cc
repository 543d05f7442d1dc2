// After ten yields the other thread is assumed to have run.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<bool> done{false};
  std::thread t([&] { done.store(true); });
  for (int i = 0; i < 10; ++i) std::this_thread::yield();
  bool seen = done.load();
  t.join();
  assert(seen);
}
