// Unlocking after EOWNERDEAD without pthread_mutex_consistent spoils the mutex for good.
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
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);

  std::thread dying([&] { assert(pthread_mutex_lock(&m) == 0); });
  dying.join();
  assert(pthread_mutex_lock(&m) == EOWNERDEAD);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
  timespec deadline = Deadline(CLOCK_REALTIME, 5);
  assert(pthread_mutex_timedlock(&m, &deadline) == ENOTRECOVERABLE);
  std::thread other([&] { assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE); });
  other.join();
  assert(pthread_mutex_trylock(&m) == ENOTRECOVERABLE);
  assert(pthread_mutex_destroy(&m) == 0);
}
