// thrd_sleep returns 0 and lasts.
#include <threads.h>

#include <ctime>

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

int Sleep(void*) {
  timespec duration = {0, 2000000};
  timespec before = Deadline(CLOCK_MONOTONIC, 2);
  assert(thrd_sleep(&duration, nullptr) == 0);
  timespec after = Deadline(CLOCK_MONOTONIC, 0);
  assert(after.tv_sec > before.tv_sec ||
         (after.tv_sec == before.tv_sec && after.tv_nsec >= before.tv_nsec));
  return 0;
}

}  // namespace

JOSTLE_CASE("pass") {
  thrd_t a, b;
  assert(thrd_create(&a, Sleep, nullptr) == thrd_success);
  assert(thrd_create(&b, Sleep, nullptr) == thrd_success);
  assert(thrd_join(a, nullptr) == thrd_success);
  assert(thrd_join(b, nullptr) == thrd_success);
}
