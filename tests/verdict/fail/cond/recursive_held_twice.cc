// A wait gives back one level of a recursive mutex: whoever is to signal never gets it.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t m;
  pthread_mutex_init(&m, &attr);
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  bool ready = false;
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  std::thread t([&] {
    pthread_mutex_lock(&m);
    ready = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
  });
  while (!ready) pthread_cond_wait(&changed, &m);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  t.join();
}
