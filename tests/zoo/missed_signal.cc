// The flag is set and signalled without the mutex between the waiter's test and its sleep.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  std::atomic<bool> ready{false};
  std::thread waiter([&] {
    pthread_mutex_lock(&m);
    while (!ready.load()) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
  });
  ready.store(true);
  pthread_cond_signal(&c);
  waiter.join();
}
