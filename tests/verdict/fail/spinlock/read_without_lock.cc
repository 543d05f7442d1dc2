// The writer locks, the reader does not.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  pthread_spinlock_t l;
  pthread_spin_init(&l, 0);
  int value = 0, seen = -1;
  std::thread w([&] {
    pthread_spin_lock(&l);
    value = 1;
    pthread_spin_unlock(&l);
  });
  seen = value;
  w.join();
  assert(seen == 0 || seen == 1);
}
