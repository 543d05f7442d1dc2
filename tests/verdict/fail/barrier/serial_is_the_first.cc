// The code believes that thread 0 is always the serial thread.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  auto work = [&](int me) {
    int rc = pthread_barrier_wait(&barrier);
    assert((rc == PTHREAD_BARRIER_SERIAL_THREAD) == (me == 0));
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
