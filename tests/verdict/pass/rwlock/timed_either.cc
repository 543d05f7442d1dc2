// The timed writer gets the lock or gives up; the counter matches the results.
#include <pthread.h>

#include <atomic>
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
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  int writes = 0;  // protected by l
  std::atomic<int> successes{0};
  auto write = [&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 1);
    int rc = pthread_rwlock_timedwrlock(&l, &deadline);
    assert(rc == 0 || rc == ETIMEDOUT);
    if (rc != 0) return;
    ++writes;
    successes.fetch_add(1);
    assert(pthread_rwlock_unlock(&l) == 0);
  };
  std::thread a(write), b(write), c(write);
  a.join();
  b.join();
  c.join();
  assert(writes == successes.load() && writes >= 1);
}
