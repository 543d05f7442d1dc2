// The "mutex" starts at two.
#include <atomic>
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::counting_semaphore<2> s(2);
  std::atomic<int> inside{0};
  auto work = [&] {
    s.acquire();
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
    s.release();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
