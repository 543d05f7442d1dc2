// A normal mutex locked twice by its owner.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  std::thread t([&] {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
  });
  t.join();
}
