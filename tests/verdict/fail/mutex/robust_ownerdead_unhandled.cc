// The code never expected EOWNERDEAD: the assertion on lock() fails when the owner died first.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_t m;
  pthread_mutex_init(&m, &attr);
  std::thread dying([&] {
    if (pthread_mutex_trylock(&m) != 0) return;
  });
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  dying.join();
}
