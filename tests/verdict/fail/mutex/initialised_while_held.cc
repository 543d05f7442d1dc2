// A mutex is initialised, although it has been: another thread may hold it.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  std::thread t([] {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  });
  pthread_mutex_init(&m, nullptr);
  t.join();
}
