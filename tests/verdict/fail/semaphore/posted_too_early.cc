// The unit is posted before the data is written.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  sem_t s;
  sem_init(&s, 0, 0);
  int data = 0, seen = 0;
  std::thread t([&] {
    sem_post(&s);
    data = 1;
  });
  sem_wait(&s);
  seen = data;
  t.join();
  assert(seen == 0 || seen == 1);
}
