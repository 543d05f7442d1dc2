// A condition variable on CLOCK_MONOTONIC measures timedwait with that clock.
#include <pthread.h>

#include <cerrno>
#include <ctime>

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
  pthread_condattr_t attr;
  assert(pthread_condattr_init(&attr) == 0);
  clockid_t clock = -1;
  assert(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_REALTIME);
  assert(pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
  assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
  assert(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_MONOTONIC);
  pthread_cond_t c;
  assert(pthread_cond_init(&c, &attr) == 0);
  assert(pthread_condattr_destroy(&attr) == 0);
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  assert(pthread_mutex_lock(&m) == 0);
  timespec deadline = Deadline(CLOCK_MONOTONIC, 3);
  int rc;
  while ((rc = pthread_cond_timedwait(&c, &m, &deadline)) == 0) {
  }
  assert(rc == ETIMEDOUT);
  timespec now = Deadline(CLOCK_MONOTONIC, 0);
  assert(now.tv_sec > deadline.tv_sec ||
         (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_cond_destroy(&c) == 0);
}
