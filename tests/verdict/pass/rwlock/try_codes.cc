// tryrdlock and trywrlock: EBUSY exactly when the lock is held in a conflicting way.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  assert(pthread_rwlock_wrlock(&l) == 0);
  std::thread t1([&] {
    assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
    assert(pthread_rwlock_trywrlock(&l) == EBUSY);
  });
  t1.join();
  assert(pthread_rwlock_unlock(&l) == 0);
  assert(pthread_rwlock_rdlock(&l) == 0);
  std::thread t2([&] {
    assert(pthread_rwlock_trywrlock(&l) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&l) == 0);
    assert(pthread_rwlock_unlock(&l) == 0);
  });
  t2.join();
  assert(pthread_rwlock_unlock(&l) == 0);
  std::thread t3([&] {
    assert(pthread_rwlock_trywrlock(&l) == 0);
    assert(pthread_rwlock_unlock(&l) == 0);
  });
  t3.join();
  assert(pthread_rwlock_destroy(&l) == 0);
}
