// Several read locks of one thread are given back one by one.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  const auto read = [&] {
    for (int i = 0; i < 3; ++i) assert(pthread_rwlock_rdlock(&lock) == 0);
    for (int i = 0; i < 3; ++i) {
      assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
      assert(pthread_rwlock_unlock(&lock) == 0);
    }
  };
  std::thread t(read);
  read();
  t.join();
  assert(pthread_rwlock_trywrlock(&lock) == 0);
  assert(pthread_rwlock_unlock(&lock) == 0);
  assert(pthread_rwlock_destroy(&lock) == 0);
}
