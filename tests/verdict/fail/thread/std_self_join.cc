// A std::thread object is joined by the thread it stands for: std::system_error, uncaught.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  sem_t ready, never;
  sem_init(&ready, 0, 0);
  sem_init(&never, 0, 0);
  std::thread t;
  t = std::thread([&] {
    sem_wait(&ready);
    t.join();
  });
  sem_post(&ready);
  sem_wait(&never);
}
