// Read lock on one, write lock on the other, in opposite orders.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;
  auto work = [](pthread_rwlock_t* first, pthread_rwlock_t* second) {
    pthread_rwlock_rdlock(first);
    pthread_rwlock_wrlock(second);
    pthread_rwlock_unlock(second);
    pthread_rwlock_unlock(first);
  };
  std::thread t1(work, &a, &b), t2(work, &b, &a);
  t1.join();
  t2.join();
}
