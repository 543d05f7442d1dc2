// Two threads back off from try_lock, but one of them has priority: it ends.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex a, b;
  int done = 0;
  std::thread polite([&] {
    for (;;) {
      b.lock();
      if (a.try_lock()) break;
      b.unlock();
      std::this_thread::yield();
    }
    ++done;
    a.unlock();
    b.unlock();
  });
  std::thread stubborn([&] {
    std::scoped_lock lock_a(a);
    std::scoped_lock lock_b(b);
    ++done;
  });
  polite.join();
  stubborn.join();
  assert(done == 2);
}
