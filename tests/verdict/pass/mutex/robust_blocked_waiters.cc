// Two waiters of a robust mutex whose owner dies: exactly one gets EOWNERDEAD and repairs it.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  sem_t locked;
  assert(sem_init(&locked, 0, 0) == 0);
  int repairs = 0;  // protected by m

  std::thread dying([&] {
    assert(pthread_mutex_lock(&m) == 0);
    assert(sem_post(&locked) == 0);
    assert(sem_post(&locked) == 0);
  });
  auto survive = [&] {
    assert(sem_wait(&locked) == 0);
    int rc = pthread_mutex_lock(&m);
    assert(rc == 0 || rc == EOWNERDEAD);
    if (rc == EOWNERDEAD) {
      ++repairs;
      assert(pthread_mutex_consistent(&m) == 0);
    }
    assert(pthread_mutex_unlock(&m) == 0);
  };
  std::thread a(survive), b(survive);
  dying.join();
  a.join();
  b.join();
  assert(repairs == 1);
  assert(pthread_mutex_destroy(&m) == 0);
}
