// Mutex attributes: defaults, what was set is what is read, and EINVAL for unknown values.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  int v = -1;
  assert(pthread_mutexattr_gettype(&attr, &v) == 0 && v == PTHREAD_MUTEX_DEFAULT);
  for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE}) {
    assert(pthread_mutexattr_settype(&attr, type) == 0);
    assert(pthread_mutexattr_gettype(&attr, &v) == 0 && v == type);
  }
  assert(pthread_mutexattr_settype(&attr, 99) == EINVAL);
  assert(pthread_mutexattr_getpshared(&attr, &v) == 0 && v == PTHREAD_PROCESS_PRIVATE);
  assert(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
  assert(pthread_mutexattr_getpshared(&attr, &v) == 0 && v == PTHREAD_PROCESS_SHARED);
  assert(pthread_mutexattr_setpshared(&attr, 99) == EINVAL);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  std::thread t([&] {
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
  });
  t.join();
  assert(pthread_mutexattr_destroy(&attr) == 0);
  assert(pthread_mutex_destroy(&m) == 0);
}
