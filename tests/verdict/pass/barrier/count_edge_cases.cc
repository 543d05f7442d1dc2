// A count of zero is EINVAL; a count of one never blocks and is always the serial thread.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_barrier_t barrier;
  assert(pthread_barrier_init(&barrier, nullptr, 0) == EINVAL);
  assert(pthread_barrier_init(&barrier, nullptr, 1) == 0);
  std::thread t([&] {
    for (int i = 0; i < 3; ++i) {
      assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    }
  });
  t.join();
  assert(pthread_barrier_destroy(&barrier) == 0);
}
