// The mutex given to pthread_cond_wait is held, but by another thread.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&m);
  std::thread t([&] { pthread_cond_wait(&c, &m); });
  pthread_cond_signal(&c);
  t.join();
  pthread_mutex_unlock(&m);
}
