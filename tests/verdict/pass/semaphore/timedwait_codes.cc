// sem_timedwait: ETIMEDOUT at zero, EINVAL for a bad tv_nsec, 0 when a unit is there.
#include <semaphore.h>

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
  sem_t s;
  assert(sem_init(&s, 0, 0) == 0);
  std::thread t([&] {
    timespec deadline = Deadline(CLOCK_REALTIME, 3);
    errno = 0;
    assert(sem_timedwait(&s, &deadline) == -1 && errno == ETIMEDOUT);
    timespec now = Deadline(CLOCK_REALTIME, 0);
    assert(now.tv_sec > deadline.tv_sec ||
           (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
    timespec bad = {now.tv_sec + 1, 1000000000};
    errno = 0;
    assert(sem_timedwait(&s, &bad) == -1 && errno == EINVAL);
    timespec past = {0, 0};
    errno = 0;
    assert(sem_timedwait(&s, &past) == -1 && errno == ETIMEDOUT);
    assert(sem_post(&s) == 0);
    assert(sem_timedwait(&s, &past) == 0);
  });
  t.join();
  assert(sem_destroy(&s) == 0);
}
