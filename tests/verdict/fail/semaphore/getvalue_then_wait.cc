// The value is looked at first; another thread takes the unit before the wait.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  sem_t s;
  sem_init(&s, 0, 1);
  auto work = [&] {
    int value = 0;
    sem_getvalue(&s, &value);
    if (value > 0) sem_wait(&s);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
