// Timed read and write locks on a lock that stays held: ETIMEDOUT, and EINVAL for a bad tv_nsec.
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
  assert(pthread_rwlock_wrlock(&l) == 0);
  std::thread t1([&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 2);
    assert(pthread_rwlock_timedrdlock(&l, &deadline) == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&l, &deadline) == ETIMEDOUT);
    timespec bad = {deadline.tv_sec + 1, 1000000000};
    assert(pthread_rwlock_timedrdlock(&l, &bad) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&l, &bad) == EINVAL);
  });
  t1.join();
  assert(pthread_rwlock_unlock(&l) == 0);
  assert(pthread_rwlock_rdlock(&l) == 0);
  std::thread t2([&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 2);
    assert(pthread_rwlock_timedwrlock(&l, &deadline) == ETIMEDOUT);
    timespec past = {0, 0};
    assert(pthread_rwlock_timedrdlock(&l, &past) == 0);
    assert(pthread_rwlock_unlock(&l) == 0);
  });
  t2.join();
  assert(pthread_rwlock_unlock(&l) == 0);
}
