// The owner of a normal mutex locks it again with a deadline: not a deadlock, ETIMEDOUT.
#include <pthread.h>

#include <cerrno>
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

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  std::thread t([&] {
    assert(pthread_mutex_lock(&m) == 0);
    timespec deadline = Deadline(CLOCK_REALTIME, 3);
    assert(pthread_mutex_timedlock(&m, &deadline) == ETIMEDOUT);
    assert(pthread_mutex_unlock(&m) == 0);
  });
  t.join();
  assert(pthread_mutex_trylock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
}
