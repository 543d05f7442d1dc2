// A reader-writer lock is initialised although another thread may be reading under it.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  std::thread t([] {
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
  });
  pthread_rwlock_init(&l, nullptr);
  t.join();
}
