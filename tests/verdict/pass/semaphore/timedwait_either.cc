// A post competes with a timeout; the unit is either taken or still there.
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
  std::thread t([&] { assert(sem_post(&s) == 0); });
  timespec deadline = Deadline(CLOCK_REALTIME, 1);
  errno = 0;
  int rc = sem_timedwait(&s, &deadline);
  assert(rc == 0 || (rc == -1 && errno == ETIMEDOUT));
  t.join();
  int value = -1;
  assert(sem_getvalue(&s, &value) == 0);
  assert(value == (rc == 0 ? 0 : 1));
  assert(sem_destroy(&s) == 0);
}
