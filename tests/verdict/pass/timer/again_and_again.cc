// An interval of setitimer() for one thread that waits, and another that looks at a flag.
// CHECK: it has too many schedules to execute all of them here
#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "tests/support/case.h"

static std::atomic<int> rang;

JOSTLE_CASE("pass") {
  rang = 0;
  signal(SIGALRM, [](int) { ++rang; });
  sigset_t before, held;
  sigemptyset(&held);
  sigaddset(&held, SIGALRM);
  std::thread looks([] {
    while (rang < 2) std::this_thread::yield();
  });
  pthread_sigmask(SIG_BLOCK, &held, &before);
  const itimerval every = {{60, 0}, {60, 0}};
  assert(setitimer(ITIMER_REAL, &every, nullptr) == 0);
  while (rang < 3) {
    // The other thread may have taken it: then the next one comes.
    sigsuspend(&before);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  looks.join();
  itimerval left;
  assert(getitimer(ITIMER_REAL, &left) == 0 && left.it_interval.tv_sec == 60);
}
