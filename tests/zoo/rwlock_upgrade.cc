// Readers that find the cache stale ask for the write lock without giving up the read lock; the
// cache is stale only when the invalidator was quicker.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  std::atomic<bool> stale{false};
  std::thread reader([&] {
    pthread_rwlock_rdlock(&l);
    if (stale.load()) {
      pthread_rwlock_wrlock(&l);
      stale.store(false);
      pthread_rwlock_unlock(&l);
    }
    pthread_rwlock_unlock(&l);
  });
  stale.store(true);
  reader.join();
}
