// A thread ends while it holds a robust mutex. Until then others find it taken.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_t m;
  pthread_mutex_init(&m, &attr);
  std::thread t([&] { pthread_mutex_lock(&m); });
  const int r = pthread_mutex_trylock(&m);
  if (r != EBUSY) pthread_mutex_unlock(&m);
  t.join();
  assert(r != EBUSY);
}
