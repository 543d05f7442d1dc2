// Plain data written before the barrier is read by the others after it.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_barrier_t barrier;
  assert(pthread_barrier_init(&barrier, nullptr, 2) == 0);
  int cell[2] = {0, 0};
  auto work = [&](int me) {
    for (int round = 1; round <= 2; ++round) {
      cell[me] = round;
      int rc = pthread_barrier_wait(&barrier);
      assert(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
      assert(cell[1 - me] == round);
      rc = pthread_barrier_wait(&barrier);
      assert(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
    }
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  assert(pthread_barrier_destroy(&barrier) == 0);
}
