// Two producers release, one consumer acquires as many times. (One acquirer only: with more, the
// semaphore of libstdc++ 12 can lose a wake-up, see zoo/libstdcxx_semaphore.cc.)
#include <atomic>
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::counting_semaphore<8> items(0);
  std::atomic<int> made{0};
  auto produce = [&] {
    made.fetch_add(1);
    items.release();
  };
  std::thread a(produce), b(produce);
  items.acquire();
  assert(made.load() >= 1);
  items.acquire();
  assert(made.load() == 2);
  assert(!items.try_acquire());
  a.join();
  b.join();
}
