// A home-made spin lock is not released on the path of the second thread.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  std::atomic<int> entries{0};
  auto work = [&] {
    while (lock.test_and_set()) std::this_thread::yield();
    if (entries.fetch_add(1) == 1) return;
    lock.clear();
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
}
