// A timeout of a second is "surely enough": the assertion ignores that ETIMEDOUT can happen.
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

JOSTLE_CASE("assertion") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  auto work = [&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 1000);
    assert(pthread_mutex_timedlock(&m, &deadline) == 0);
    pthread_mutex_unlock(&m);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
