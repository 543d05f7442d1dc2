// pthread_cond_clockwait with both clocks; any other clock is EINVAL.
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
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  std::thread t([&] {
    assert(pthread_mutex_lock(&m) == 0);
    for (clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
      timespec deadline = Deadline(clock, 2);
      int rc;
      while ((rc = pthread_cond_clockwait(&c, &m, clock, &deadline)) == 0) {
      }
      assert(rc == ETIMEDOUT);
    }
    timespec deadline = Deadline(CLOCK_MONOTONIC, 2);
    assert(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &deadline) == EINVAL);
    assert(pthread_mutex_unlock(&m) == 0);
  });
  t.join();
}
