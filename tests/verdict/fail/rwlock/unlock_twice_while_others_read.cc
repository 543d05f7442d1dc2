// The read lock that is given back the second time is another thread's.
#include <pthread.h>
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  sem_t reads, done;
  sem_init(&reads, 0, 0);
  sem_init(&done, 0, 0);
  std::thread t([&] {
    pthread_rwlock_rdlock(&lock);
    sem_post(&reads);
    sem_wait(&done);  // never comes that far
  });
  pthread_rwlock_rdlock(&lock);
  sem_wait(&reads);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  t.detach();
  pthread_exit(nullptr);
}
