// The owner of a non-robust mutex ends without unlocking; the next locker waits for ever.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  std::thread t([&] { pthread_mutex_lock(&m); });
  t.join();
  pthread_mutex_lock(&m);
}
