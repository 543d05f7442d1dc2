// The barrier waits for three; only two threads come.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  std::thread a([&] { pthread_barrier_wait(&barrier); });
  std::thread b([&] { pthread_barrier_wait(&barrier); });
  a.join();
  b.join();
}
