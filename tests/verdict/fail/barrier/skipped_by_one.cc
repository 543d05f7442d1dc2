// A worker that finds the work done skips the barrier that the other one waits at.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::atomic<int> claimed{0};
  auto work = [&](int work_items) {
    if (claimed.fetch_add(work_items) >= 2) return;
    pthread_barrier_wait(&barrier);
  };
  std::thread a(work, 2), b(work, 1);
  a.join();
  b.join();
}
