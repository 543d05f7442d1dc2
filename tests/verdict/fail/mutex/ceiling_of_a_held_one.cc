// Setting the ceiling of a mutex takes it: with what the other thread waits for, that never ends.
#include <pthread.h>
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
  pthread_mutex_t m;
  pthread_mutex_init(&m, &attr);
  sem_t s;
  sem_init(&s, 0, 0);
  std::thread t([&] {
    pthread_mutex_lock(&m);
    sem_wait(&s);
    pthread_mutex_unlock(&m);
  });
  int old = 0;
  pthread_mutex_setprioceiling(&m, 5, &old);
  sem_post(&s);
  t.join();
}
