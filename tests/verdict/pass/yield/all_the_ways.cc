// sched_yield, std::this_thread::yield and thrd_yield do nothing but let others run.
#include <sched.h>
#include <threads.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  auto work = [] {
    int local = 0;
    for (int i = 0; i < 3; ++i) {
      ++local;
      assert(sched_yield() == 0);
      std::this_thread::yield();
      thrd_yield();
    }
    assert(local == 3);
  };
  std::thread a(work), b(work);
  work();
  a.join();
  b.join();
}
