// A thread detaches itself, and whoever started it does so, too: the second one fails.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::atomic<bool> done{false};
  std::thread t([&] {
    pthread_detach(pthread_self());
    done = true;
  });
  t.detach();
  while (!done) sched_yield();
}
