// A spin lock protects a counter.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_spinlock_t l;
  assert(pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE) == 0);
  int counter = 0;
  auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      assert(pthread_spin_lock(&l) == 0);
      ++counter;
      assert(pthread_spin_unlock(&l) == 0);
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(counter == 6);
  assert(pthread_spin_destroy(&l) == 0);
}
