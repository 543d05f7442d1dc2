// The writer that locks again, for reading or writing, is told EDEADLK; trying is EBUSY.
#include <pthread.h>

#include <cerrno>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

namespace {

// Absolute time on `clock`, `ms` milliseconds from now.
timespec Deadline(clockid_t clock, long ms) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

}  // namespace

JOSTLE_CASE("pass") {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  std::thread t([&] {
    assert(pthread_rwlock_wrlock(&l) == 0);
    assert(pthread_rwlock_wrlock(&l) == EDEADLK);
    assert(pthread_rwlock_rdlock(&l) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
    assert(pthread_rwlock_trywrlock(&l) == EBUSY);
    timespec deadline = Deadline(CLOCK_REALTIME, 2);
    assert(pthread_rwlock_timedwrlock(&l, &deadline) == EDEADLK);
    assert(pthread_rwlock_timedrdlock(&l, &deadline) == EDEADLK);
    assert(pthread_rwlock_unlock(&l) == 0);
  });
  t.join();
  assert(pthread_rwlock_trywrlock(&l) == 0);
  assert(pthread_rwlock_unlock(&l) == 0);
}
