// The limit of a lock matters only to whoever has to wait.
#include <pthread.h>

#include <cerrno>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  const timespec wrong{0, -1};
  assert(pthread_mutex_timedlock(&m, &wrong) == 0);
  std::thread t([&] {
    assert(pthread_mutex_timedlock(&m, &wrong) == EINVAL);
    assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &wrong) == EINVAL);
    assert(pthread_mutex_clocklock(&m, 4711, &wrong) == EINVAL);
  });
  t.join();
  assert(pthread_mutex_unlock(&m) == 0);

  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t checked;
  pthread_mutex_init(&checked, &attr);
  assert(pthread_mutex_lock(&checked) == 0);
  assert(pthread_mutex_timedlock(&checked, &wrong) == EDEADLK);
  assert(pthread_mutex_unlock(&checked) == 0);
}
