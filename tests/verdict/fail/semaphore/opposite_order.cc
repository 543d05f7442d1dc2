// Two semaphores of one, taken in opposite orders.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  sem_t a, b;
  sem_init(&a, 0, 1);
  sem_init(&b, 0, 1);
  auto work = [](sem_t* first, sem_t* second) {
    sem_wait(first);
    sem_wait(second);
    sem_post(second);
    sem_post(first);
  };
  std::thread t1(work, &a, &b), t2(work, &b, &a);
  t1.join();
  t2.join();
}
