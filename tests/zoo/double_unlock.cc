// The error path unlocks and falls through to the common unlock; by then another thread may own
// the mutex.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int users = 0;
  auto work = [&](int limit) {
    pthread_mutex_lock(&m);
    if (users >= limit) pthread_mutex_unlock(&m);  // no return
    ++users;
    pthread_mutex_unlock(&m);
  };
  std::thread a(work, 2), b(work, 1);
  a.join();
  b.join();
}
