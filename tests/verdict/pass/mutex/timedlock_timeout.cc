// timedlock on a mutex that stays locked: ETIMEDOUT, not before the deadline; EINVAL for a bad
// tv_nsec when it would block; a deadline in the past still takes a free mutex.
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
  assert(pthread_mutex_lock(&m) == 0);
  std::thread other([&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 5);
    assert(pthread_mutex_timedlock(&m, &deadline) == ETIMEDOUT);
    timespec now = Deadline(CLOCK_REALTIME, 0);
    assert(now.tv_sec > deadline.tv_sec ||
           (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
    timespec past = {0, 0};
    assert(pthread_mutex_timedlock(&m, &past) == ETIMEDOUT);
    timespec bad = {now.tv_sec + 1, 1000000000};
    assert(pthread_mutex_timedlock(&m, &bad) == EINVAL);
    bad.tv_nsec = -1;
    assert(pthread_mutex_timedlock(&m, &bad) == EINVAL);
  });
  other.join();
  assert(pthread_mutex_unlock(&m) == 0);
  timespec past = {0, 0};
  assert(pthread_mutex_timedlock(&m, &past) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
}
