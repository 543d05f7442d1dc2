// The main thread joins a thread that waits for a post the main thread makes after the join.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  sem_t go;
  sem_init(&go, 0, 0);
  std::thread t([&] { sem_wait(&go); });
  t.join();
  sem_post(&go);
}
