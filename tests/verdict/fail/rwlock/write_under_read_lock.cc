// Two threads increment while holding only the read lock.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  int counter = 0;
  auto work = [&] {
    pthread_rwlock_rdlock(&l);
    ++counter;
    pthread_rwlock_unlock(&l);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
