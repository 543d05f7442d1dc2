// Nobody signals: timedwait ends with ETIMEDOUT, not early, with the mutex held again. A bad
// tv_nsec is EINVAL.
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
  std::thread t([&] {
    assert(pthread_mutex_lock(&m) == 0);
    timespec deadline = Deadline(CLOCK_REALTIME, 4);
    int rc;
    while ((rc = pthread_cond_timedwait(&c, &m, &deadline)) == 0) {
    }
    assert(rc == ETIMEDOUT);
    timespec now = Deadline(CLOCK_REALTIME, 0);
    assert(now.tv_sec > deadline.tv_sec ||
           (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
    assert(pthread_mutex_trylock(&m) == EBUSY);
    timespec past = {0, 0};
    while ((rc = pthread_cond_timedwait(&c, &m, &past)) == 0) {
    }
    assert(rc == ETIMEDOUT);
    timespec bad = {now.tv_sec + 1, 1000000000};
    assert(pthread_cond_timedwait(&c, &m, &bad) == EINVAL);
    bad.tv_nsec = -1;
    assert(pthread_cond_timedwait(&c, &m, &bad) == EINVAL);
    assert(pthread_mutex_unlock(&m) == 0);
  });
  t.join();
}
