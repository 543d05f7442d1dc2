// The heir of a robust mutex ignores EOWNERDEAD and just unlocks; the next lock cannot succeed.
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
  std::thread dying([&] { (void)pthread_mutex_lock(&m); });
  std::thread heir([&] {
    int rc = pthread_mutex_lock(&m);
    if (rc == 0 || rc == EOWNERDEAD) pthread_mutex_unlock(&m);
  });
  dying.join();
  heir.join();
  int rc = pthread_mutex_lock(&m);
  assert(rc == 0 || rc == EOWNERDEAD);
  pthread_mutex_unlock(&m);
}
