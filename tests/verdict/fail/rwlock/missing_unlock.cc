// A reader leaves without unlocking when it finds nothing; the writer waits for ever.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  int value = 0;
  std::thread reader([&] {
    pthread_rwlock_rdlock(&l);
    if (value == 0) return;
    pthread_rwlock_unlock(&l);
  });
  std::thread writer([&] {
    pthread_rwlock_wrlock(&l);
    value = 1;
    pthread_rwlock_unlock(&l);
  });
  reader.join();
  writer.join();
}
