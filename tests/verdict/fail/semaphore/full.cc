// Two posts of a semaphore that has room for one: whichever comes second fails.
#include <semaphore.h>

#include <climits>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  sem_t s;
  sem_init(&s, 0, INT_MAX - 1);
  int other = 0;
  std::thread t([&] { other = sem_post(&s); });
  const int mine = sem_post(&s);
  t.join();
  assert(mine == 0 || other == 0);
  assert(mine == 0);
}
