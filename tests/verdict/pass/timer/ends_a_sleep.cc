// alarm() cuts a sleep short; what is left of both is told, and an alarm that was called off never
// comes.
// CHECK: it has too many schedules to execute all of them here
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "tests/support/case.h"

static std::atomic<int> rang;

JOSTLE_CASE("pass") {
  rang = 0;
  signal(SIGALRM, [](int) { ++rang; });
  alarm(3600);
  assert(sleep(4000) > 0 && rang == 1);
  assert(alarm(100) == 0);
  const unsigned left = alarm(0);
  assert(left > 0 && left <= 100);
  sleep(200);
  assert(rang == 1);
}
