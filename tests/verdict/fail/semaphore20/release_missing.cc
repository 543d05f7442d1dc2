// A path that forgets to release: taken when the thread finds the work already done.
#include <atomic>
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::binary_semaphore s(1);
  std::atomic<bool> done{false};
  auto work = [&] {
    s.acquire();
    if (done.exchange(true)) return;
    s.release();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  s.acquire();
}
