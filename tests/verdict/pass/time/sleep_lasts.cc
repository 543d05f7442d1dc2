// Every way to sleep returns success and lasts at least as long as asked.
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

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
  auto work = [] {
    using Clock = std::chrono::steady_clock;
    auto t0 = Clock::now();
    std::this_thread::sleep_for(2ms);
    auto t1 = Clock::now();
    assert(t1 - t0 >= 2ms);
    timespec request = {0, 1000000};
    assert(nanosleep(&request, nullptr) == 0);
    auto t2 = Clock::now();
    assert(t2 - t1 >= 1ms);
    assert(usleep(1000) == 0);
    auto t3 = Clock::now();
    assert(t3 - t2 >= 1ms);
    std::this_thread::sleep_until(t3 + 1ms);
    assert(Clock::now() >= t3 + 1ms);
    timespec deadline = Deadline(CLOCK_MONOTONIC, 1);
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == 0);
    timespec now = Deadline(CLOCK_MONOTONIC, 0);
    assert(now.tv_sec > deadline.tv_sec ||
           (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
