// nanosleep and clock_nanosleep refuse a bad tv_nsec or clock; a sleep of zero returns 0.
#include <cerrno>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::thread t([] {
    timespec bad = {0, 1000000000};
    errno = 0;
    assert(nanosleep(&bad, nullptr) == -1 && errno == EINVAL);
    bad = {-1, 0};
    errno = 0;
    assert(nanosleep(&bad, nullptr) == -1 && errno == EINVAL);
    bad = {0, -1};
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, nullptr) == EINVAL);
    timespec zero = {0, 0};
    assert(nanosleep(&zero, nullptr) == 0);
    assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &zero, nullptr) == 0);
  });
  t.join();
}
