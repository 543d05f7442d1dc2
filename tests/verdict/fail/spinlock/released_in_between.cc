// The lock is released between reading and writing the counter.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  pthread_spinlock_t l;
  pthread_spin_init(&l, 0);
  int counter = 0;
  auto work = [&] {
    pthread_spin_lock(&l);
    int copy = counter;
    pthread_spin_unlock(&l);
    pthread_spin_lock(&l);
    counter = copy + 1;
    pthread_spin_unlock(&l);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 2);
}
