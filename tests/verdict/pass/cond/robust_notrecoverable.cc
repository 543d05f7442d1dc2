// To wait on a condition gives the mutex back, also one that a dead thread has left and that nobody
// has made consistent: then it is lost for whoever waits, and for all others.
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  std::thread([&] { assert(pthread_mutex_lock(&m) == 0); }).join();
  assert(pthread_mutex_lock(&m) == EOWNERDEAD);
  const timespec past = {1, 0};
  assert(pthread_cond_timedwait(&c, &m, &past) == ENOTRECOVERABLE);
  assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
  assert(pthread_mutex_destroy(&m) == 0);

  // The same for who waits already when it is given up.
  assert(pthread_mutex_init(&m, &attr) == 0);
  bool waits = false;
  std::atomic<bool> told{false};
  std::thread waiter([&] {
    assert(pthread_mutex_lock(&m) == 0);
    waits = true;
    assert(pthread_cond_wait(&c, &m) == ENOTRECOVERABLE);
    assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
    told = true;
  });
  std::thread([&] {
    for (bool seen = false; !seen;) {
      assert(pthread_mutex_lock(&m) == 0);
      seen = waits;
      if (!seen) assert(pthread_mutex_unlock(&m) == 0);
    }
  }).join();
  assert(pthread_mutex_lock(&m) == EOWNERDEAD);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_cond_broadcast(&c) == 0);
  waiter.join();
  assert(told);
  assert(pthread_mutex_destroy(&m) == 0);
}
