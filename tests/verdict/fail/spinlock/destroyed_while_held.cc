// The spin lock is destroyed while the other thread may hold it.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_spinlock_t l;
  pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
  std::thread t([&] {
    pthread_spin_lock(&l);
    pthread_spin_unlock(&l);
  });
  pthread_spin_destroy(&l);
  t.join();
}
