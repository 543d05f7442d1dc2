// A spin lock locked again by its holder.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_spinlock_t l;
  pthread_spin_init(&l, 0);
  std::thread t([&] {
    pthread_spin_lock(&l);
    pthread_spin_lock(&l);
  });
  t.join();
}
