// Which clocks there are, and which of them can be slept by or have timers.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  timespec now, zero = {0, 0}, some = {0, 5};
  assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &some, nullptr) == EINVAL);
  assert(clock_nanosleep(9999, 0, &some, nullptr) == EINVAL);
  assert(clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &some, nullptr) == ENOTSUP);
  assert(clock_nanosleep(CLOCK_MONOTONIC_COARSE, 0, &some, nullptr) == ENOTSUP);
  for (const clockid_t c : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI}) {
    assert(clock_nanosleep(c, 0, &some, nullptr) == 0);
    assert(clock_nanosleep(c, TIMER_ABSTIME, &zero, nullptr) == 0);
    assert(clock_gettime(c, &now) == 0);
  }
  for (const clockid_t c : {CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_COARSE,
                            CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID})
    assert(clock_gettime(c, &now) == 0);
  for (const clockid_t c : {9999, 10, 12, -1}) {
    errno = 0;
    assert(clock_gettime(c, &now) == -1 && errno == EINVAL);
  }
  const timespec wrong = {0, 1'000'000'000};
  errno = 0;
  assert(syscall(SYS_nanosleep, &wrong, nullptr) == -1 && errno == EINVAL);
  assert(syscall(SYS_clock_nanosleep, 9999, 0, &some, nullptr) == -1 && errno == EINVAL);

  timer_t timer;
  errno = 0;
  assert(timer_create(9999, nullptr, &timer) == -1 && errno == EINVAL);
  assert(timer_create(CLOCK_MONOTONIC_RAW, nullptr, &timer) == -1 && errno == ENOTSUP);
  assert(timer_create(CLOCK_BOOTTIME, nullptr, &timer) == 0 && timer_delete(timer) == 0);

  assert(timespec_get(&now, TIME_UTC) == TIME_UTC && now.tv_sec > 1'600'000'000);
  assert(timespec_get(&now, 77) == 0);
  timeval day;
  timespec later;
  assert(gettimeofday(&day, nullptr) == 0 && clock_gettime(CLOCK_REALTIME, &later) == 0);
  assert(day.tv_sec >= now.tv_sec && later.tv_sec >= day.tv_sec && later.tv_sec <= day.tv_sec + 1);
  const time_t seconds = time(nullptr);
  assert(seconds >= later.tv_sec && seconds <= later.tv_sec + 1);
}
