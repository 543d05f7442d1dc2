// Whoever comes first through the barrier destroys it, although it is used once more.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  static pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 1);
  std::thread t([] { pthread_barrier_wait(&b); });
  pthread_barrier_destroy(&b);
  t.join();
}
