// pthread_rwlock_clockrdlock and clockwrlock with both clocks, and EINVAL for another clock.
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
  std::thread t([&] {
    for (clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
      timespec deadline = Deadline(clock, 2);
      assert(pthread_rwlock_clockrdlock(&l, clock, &deadline) == ETIMEDOUT);
      assert(pthread_rwlock_clockwrlock(&l, clock, &deadline) == ETIMEDOUT);
    }
    timespec deadline = Deadline(CLOCK_MONOTONIC, 2);
    assert(pthread_rwlock_clockwrlock(&l, CLOCK_PROCESS_CPUTIME_ID, &deadline) == EINVAL);
  });
  t.join();
  assert(pthread_rwlock_unlock(&l) == 0);
}
