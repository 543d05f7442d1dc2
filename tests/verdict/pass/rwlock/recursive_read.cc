// The default lock prefers readers: a reader may lock again although a writer is waiting.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  int value = 0;
  std::thread r([&] {
    assert(pthread_rwlock_rdlock(&l) == 0);
    int first = value;
    assert(pthread_rwlock_rdlock(&l) == 0);
    assert(first == value);
    assert(pthread_rwlock_unlock(&l) == 0);
    assert(pthread_rwlock_unlock(&l) == 0);
  });
  assert(pthread_rwlock_wrlock(&l) == 0);
  value = 1;
  assert(pthread_rwlock_unlock(&l) == 0);
  r.join();
}
