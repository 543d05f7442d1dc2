// Timers that a body leaves behind are gone: the next execution is not interrupted by them, and
// does not find them either. Nor does a thread on its way out have to do with them.
// CHECK: the program uses timers
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  assert(alarm(0) == 0);
  signal(SIGALRM, SIG_DFL);  // it would end the process
  itimerval left;
  assert(getitimer(ITIMER_PROF, &left) == 0 && left.it_value.tv_sec == 0 &&
         left.it_value.tv_usec == 0);
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, nullptr, &timer) == 0);
  const itimerspec soon = {{0, 0}, {0, 50'000'000}};
  assert(timer_settime(timer, 0, &soon, nullptr) == 0);
  alarm(1);
  const itimerval profile = {{0, 0}, {1000, 0}};
  assert(setitimer(ITIMER_PROF, &profile, nullptr) == 0);
  std::thread([] { std::this_thread::yield(); }).join();
}
