// A read-write lock is unlocked by a thread that never locked it, while nobody holds it.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  std::thread t([&] { pthread_rwlock_unlock(&l); });
  t.join();
}
