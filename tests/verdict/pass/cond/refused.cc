// EPERM of waits without the mutex, where it knows its owner; EINVAL of limits and clocks that are
// none. Neither gives anything back, and waits afterwards are what they always are.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <ctime>
#include <initializer_list>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t check, robust;
  pthread_mutexattr_init(&check);
  pthread_mutexattr_settype(&check, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  const timespec wrong = {0, 1'000'000'000}, past = {1, 0};
  for (const pthread_mutexattr_t* attr : {&check, &robust}) {
    pthread_mutex_t m;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    assert(pthread_mutex_init(&m, attr) == 0);
    assert(pthread_cond_wait(&c, &m) == EPERM);
    assert(pthread_cond_timedwait(&c, &m, &past) == EPERM);
    assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past) == EPERM);
    assert(pthread_cond_timedwait(&c, &m, &wrong) == EINVAL);
    std::thread other([&] {
      assert(pthread_mutex_lock(&m) == 0);
      assert(pthread_mutex_unlock(&m) == 0);
    });
    assert(pthread_cond_wait(&c, &m) == EPERM);  // also if the other has it
    sem_t s;
    sem_init(&s, 0, 0);
    assert(sem_timedwait(&s, &past) == -1 && errno == ETIMEDOUT);
    sem_destroy(&s);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
    assert(pthread_cond_timedwait(&c, &m, &wrong) == EINVAL);
    assert(pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT);
    assert(pthread_mutex_unlock(&m) == 0);
    other.join();
    assert(pthread_mutex_destroy(&m) == 0);
  }
}
