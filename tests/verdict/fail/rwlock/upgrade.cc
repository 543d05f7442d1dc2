// A reader asks for the write lock while it still holds the read lock.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  std::thread t([&] {
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
  });
  t.join();
}
