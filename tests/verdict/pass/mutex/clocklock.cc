// pthread_mutex_clocklock with both clocks; another clock is EINVAL.
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
  timespec deadline = Deadline(CLOCK_MONOTONIC, 1000);
  assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &deadline) == 0);
  std::thread other([&] {
    for (clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
      timespec soon = Deadline(clock, 2);
      assert(pthread_mutex_clocklock(&m, clock, &soon) == ETIMEDOUT);
    }
    timespec soon = Deadline(CLOCK_MONOTONIC, 2);
    assert(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &soon) == EINVAL);
  });
  other.join();
  assert(pthread_mutex_unlock(&m) == 0);
}
