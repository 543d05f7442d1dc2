// Two spin locks in opposite orders.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_spinlock_t a, b;
  pthread_spin_init(&a, 0);
  pthread_spin_init(&b, 0);
  auto work = [](pthread_spinlock_t* first, pthread_spinlock_t* second) {
    pthread_spin_lock(first);
    pthread_spin_lock(second);
    pthread_spin_unlock(second);
    pthread_spin_unlock(first);
  };
  std::thread t1(work, &a, &b), t2(work, &b, &a);
  t1.join();
  t2.join();
}
