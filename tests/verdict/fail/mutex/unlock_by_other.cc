// A thread unlocks a normal mutex that another thread holds.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  std::thread t([&] { pthread_mutex_unlock(&m); });
  t.join();
}
