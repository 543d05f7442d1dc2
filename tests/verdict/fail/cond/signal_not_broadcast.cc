// One signal for two waiters of the same gate.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  bool open = false;
  auto wait = [&] {
    pthread_mutex_lock(&m);
    while (!open) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
  };
  std::thread t1(wait), t2(wait);
  pthread_mutex_lock(&m);
  open = true;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  t1.join();
  t2.join();
}
