// sem_clockwait on the monotonic clock times out; an unsupported clock is EINVAL.
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
    timespec deadline = Deadline(CLOCK_MONOTONIC, 2);
    errno = 0;
    assert(sem_clockwait(&s, CLOCK_MONOTONIC, &deadline) == -1 && errno == ETIMEDOUT);
    errno = 0;
    assert(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &deadline) == -1 && errno == EINVAL);
  });
  t.join();
  assert(sem_destroy(&s) == 0);
}
