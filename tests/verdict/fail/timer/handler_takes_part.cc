// The handler of a timer adds to a counter between the reading and the writing of another thread.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "tests/support/case.h"

static std::atomic<int> n;
static std::atomic<bool> rang;

static void add() { n.store(n.load() + 1); }

JOSTLE_CASE("assertion") {
  n = 0;
  rang = false;
  signal(SIGALRM, [](int) {
    add();
    rang = true;
  });
  alarm(1);
  std::thread t(&add);
  while (!rang) sleep(10);
  t.join();
  assert(n == 2);
}
