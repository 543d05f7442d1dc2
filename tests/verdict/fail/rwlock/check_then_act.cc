// The value is tested under the read lock and changed under a later write lock.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  int left = 1;
  auto take = [&] {
    pthread_rwlock_rdlock(&l);
    bool available = left > 0;
    pthread_rwlock_unlock(&l);
    if (!available) return;
    pthread_rwlock_wrlock(&l);
    --left;
    assert(left >= 0);
    pthread_rwlock_unlock(&l);
  };
  std::thread a(take), b(take);
  a.join();
  b.join();
}
