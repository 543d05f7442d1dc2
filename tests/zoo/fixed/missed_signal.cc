// missed_signal with the flag set under the mutex.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  bool ready = false;
  std::thread waiter([&] {
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
  });
  pthread_mutex_lock(&m);
  ready = true;
  pthread_mutex_unlock(&m);
  pthread_cond_signal(&c);
  waiter.join();
}
