// A waiter whose mutex is robust is told EOWNERDEAD when the signaller dies with the mutex held.
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  std::atomic<bool> ready{false};
  std::thread dying([&] {
    assert(pthread_mutex_lock(&m) == 0);
    ready = true;
    assert(pthread_cond_signal(&c) == 0);
  });
  int rc = pthread_mutex_lock(&m);
  while (rc == 0 && !ready) rc = pthread_cond_wait(&c, &m);
  assert(rc == EOWNERDEAD);
  assert(ready);
  assert(pthread_mutex_consistent(&m) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  dying.join();
  assert(pthread_mutex_destroy(&m) == 0);
}
