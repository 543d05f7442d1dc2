// The owner of a robust mutex dies: the next locker gets EOWNERDEAD, repairs and goes on.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  assert(pthread_mutex_consistent(&m) == EINVAL);

  std::thread dying([&] { assert(pthread_mutex_lock(&m) == 0); });
  dying.join();
  assert(pthread_mutex_lock(&m) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&m) == 0);
  assert(pthread_mutex_consistent(&m) == EINVAL);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_destroy(&m) == 0);
}
