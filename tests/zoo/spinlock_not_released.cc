// A spin lock is not released on the error path: the next thread spins for ever.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<bool> locked{false};
  std::atomic<int> value{0};
  auto update = [&](int limit) {
    while (locked.exchange(true)) std::this_thread::yield();
    if (value.load() > limit) return false;  // forgot to unlock
    value.fetch_add(1);
    locked.store(false);
    return true;
  };
  std::thread a([&] { update(5); });
  std::thread b([&] { update(0); });
  a.join();
  b.join();
  update(5);
}
