// Two threads look again and again, under a lock, whether the third is done: whatever a strategy
// prefers, it has its turn.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  bool done = false;
  auto poll = [&] {
    for (;;) {
      std::lock_guard lock(m);
      if (done) break;
    }
  };
  std::thread a(poll), b([&] {
    std::lock_guard lock(m);
    done = true;
  });
  poll();
  a.join();
  b.join();
}
