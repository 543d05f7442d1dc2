// A wait gives back one level of a recursive mutex, and takes it again, whoever signals.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t m;
  pthread_mutex_init(&m, &attr);
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  sem_t held, tried, given_back;
  sem_init(&held, 0, 0);
  sem_init(&tried, 0, 0);
  sem_init(&given_back, 0, 0);
  std::thread t([&] {
    sem_wait(&held);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    pthread_cond_broadcast(&changed);
    sem_post(&tried);
    sem_wait(&given_back);
    assert(pthread_mutex_trylock(&m) == 0);
    pthread_mutex_unlock(&m);
  });
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  sem_post(&held);
  timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  ++soon.tv_sec;
  pthread_cond_timedwait(&changed, &m, &soon);
  sem_wait(&tried);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  sem_post(&given_back);
  t.join();
  assert(pthread_mutex_destroy(&m) == 0);
}
