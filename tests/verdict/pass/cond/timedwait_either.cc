// A signal and a timeout compete; the waiter looks at the predicate, whatever the result was.
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
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  bool ready = false;
  std::thread t([&] {
    assert(pthread_mutex_lock(&m) == 0);
    ready = true;
    assert(pthread_cond_signal(&c) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
  });
  assert(pthread_mutex_lock(&m) == 0);
  timespec deadline = Deadline(CLOCK_REALTIME, 2);
  int rc = 0;
  while (!ready && rc == 0) rc = pthread_cond_timedwait(&c, &m, &deadline);
  assert(rc == 0 || rc == ETIMEDOUT);
  if (rc == 0) assert(ready);
  assert(pthread_mutex_unlock(&m) == 0);
  t.join();
  assert(ready);
}
