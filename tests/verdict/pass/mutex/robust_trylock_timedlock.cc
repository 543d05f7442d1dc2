// EOWNERDEAD also comes from trylock and timedlock; unlock by a stranger is EPERM.
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
  int robust = -1;
  assert(pthread_mutexattr_getrobust(&attr, &robust) == 0 && robust == PTHREAD_MUTEX_STALLED);
  assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
  assert(pthread_mutexattr_getrobust(&attr, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
  assert(pthread_mutexattr_setrobust(&attr, 77) == EINVAL);
  pthread_mutex_t a;
  pthread_mutex_t b;
  assert(pthread_mutex_init(&a, &attr) == 0);
  assert(pthread_mutex_init(&b, &attr) == 0);

  std::thread dying([&] {
    assert(pthread_mutex_lock(&a) == 0);
    assert(pthread_mutex_trylock(&b) == 0);
  });
  dying.join();
  assert(pthread_mutex_trylock(&a) == EOWNERDEAD);
  timespec deadline = Deadline(CLOCK_REALTIME, 5);
  assert(pthread_mutex_timedlock(&b, &deadline) == EOWNERDEAD);
  std::thread stranger([&] { assert(pthread_mutex_unlock(&a) == EPERM); });
  stranger.join();
  assert(pthread_mutex_consistent(&a) == 0);
  assert(pthread_mutex_consistent(&b) == 0);
  assert(pthread_mutex_unlock(&a) == 0);
  assert(pthread_mutex_unlock(&b) == 0);
  assert(pthread_mutex_destroy(&a) == 0);
  assert(pthread_mutex_destroy(&b) == 0);
}
