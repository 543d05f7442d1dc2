// An early return forgets the unlock; it is taken only when the other thread was first.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int owner = 0;
  auto work = [&](int id) {
    pthread_mutex_lock(&m);
    if (owner == 2 && id == 1) return;
    owner = id;
    pthread_mutex_unlock(&m);
  };
  std::thread t1(work, 1), t2(work, 2);
  t1.join();
  t2.join();
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
}
