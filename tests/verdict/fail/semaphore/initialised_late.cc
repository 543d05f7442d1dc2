// The semaphore is initialised after the thread that posts it was started: the post may be lost.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  static sem_t s;
  std::thread t([] { sem_post(&s); });
  sem_init(&s, 0, 0);
  sem_wait(&s);
  t.join();
}
