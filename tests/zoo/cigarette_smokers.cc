// Patil's cigarette smokers with naive semaphores: each smoker grabs one ingredient of the two on
// the table, and nobody can smoke.
#include <semaphore.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  sem_t tobacco, paper, matches;
  sem_init(&tobacco, 0, 0);
  sem_init(&paper, 0, 0);
  sem_init(&matches, 0, 0);
  std::atomic<bool> smoked{false};
  auto smoker = [&](sem_t* first, sem_t* second) {
    sem_wait(first);
    if (smoked.load()) return;
    sem_wait(second);
    if (!smoked.exchange(true)) {
      for (sem_t* s : {&tobacco, &paper, &matches}) {
        sem_post(s);
        sem_post(s);
      }
    }
  };
  std::thread a(smoker, &tobacco, &paper), b(smoker, &paper, &matches);
  std::thread c(smoker, &matches, &tobacco);
  sem_post(&tobacco);
  sem_post(&paper);
  a.join();
  b.join();
  c.join();
}
