// A thread may come to the barrier before it is initialised.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  static pthread_barrier_t b;
  std::thread t([] { pthread_barrier_wait(&b); });
  pthread_barrier_init(&b, nullptr, 2);
  pthread_barrier_wait(&b);
  t.join();
}
