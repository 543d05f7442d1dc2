// With PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP a second read lock waits behind a writer that
// waits for the first.
// CHECK: a writer that waits is no operation.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_rwlockattr_t attr;
  pthread_rwlockattr_init(&attr);
  pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_t l;
  pthread_rwlock_init(&l, &attr);
  std::thread reader([&] {
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
  });
  std::thread writer([&] {
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
  });
  reader.join();
  writer.join();
}
