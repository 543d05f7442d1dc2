// The holder lets go at some time: timedlock says 0 or ETIMEDOUT and the caller believes it.
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
  int value = 0;  // protected by m
  int got = 0;
  assert(pthread_mutex_lock(&m) == 0);
  std::thread other([&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 2);
    int rc = pthread_mutex_timedlock(&m, &deadline);
    assert(rc == 0 || rc == ETIMEDOUT);
    if (rc == 0) {
      assert(value == 1);
      value = 2;
      got = 1;
      assert(pthread_mutex_unlock(&m) == 0);
    }
  });
  value = 1;
  assert(pthread_mutex_unlock(&m) == 0);
  other.join();
  assert(value == 1 + got);
}
