// Exactly one thread per round is PTHREAD_BARRIER_SERIAL_THREAD; the barrier is reusable.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_barrier_t barrier;
  assert(pthread_barrier_init(&barrier, nullptr, 3) == 0);
  std::atomic<int> serial{0};
  auto work = [&] {
    for (int round = 0; round < 2; ++round) {
      int rc = pthread_barrier_wait(&barrier);
      assert(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
      if (rc != 0) serial.fetch_add(1);
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(serial.load() == 2);
  assert(pthread_barrier_destroy(&barrier) == 0);
}
