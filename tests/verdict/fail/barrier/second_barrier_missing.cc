// No barrier between reading a neighbour's cell and overwriting it in the next round.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  int cell[2] = {0, 0};
  int seen[2] = {0, 0};
  auto work = [&](int me) {
    for (int round = 1; round <= 2; ++round) {
      cell[me] = round;
      pthread_barrier_wait(&barrier);
      seen[me] += cell[1 - me];
    }
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
