// pthread_cond_wait is called without holding the mutex.
#include <pthread.h>

#include <ctime>
#include <thread>

#include "tests/support/case.h"

namespace {

// Absolute time on `clock`, `ms` milliseconds from now.
timespec Deadline(clockid_t clock, long ms) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

}  // namespace

JOSTLE_CASE("misuse") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  std::thread t([&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 1);
    pthread_cond_timedwait(&c, &m, &deadline);
  });
  t.join();
}
