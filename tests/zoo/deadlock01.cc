// SCTBench deadlock01_bad: two mutexes, a counter, opposite orders, and unlocks in between.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
  int counter = 1;
  std::thread t1([&] {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    ++counter;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
  });
  std::thread t2([&] {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    --counter;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
  });
  t1.join();
  t2.join();
}
