// A semaphore of one protects a counter.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  sem_t s;
  assert(sem_init(&s, 0, 1) == 0);
  int counter = 0;
  auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      assert(sem_wait(&s) == 0);
      ++counter;
      assert(sem_post(&s) == 0);
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(counter == 6);
  assert(sem_destroy(&s) == 0);
}
