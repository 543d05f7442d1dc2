// The semaphore is destroyed while a thread may be waiting for it.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  sem_t s;
  sem_init(&s, 0, 0);
  std::thread t([&] { sem_wait(&s); });
  std::thread u([&] { sem_post(&s); });
  u.join();
  sem_destroy(&s);
  t.join();
}
