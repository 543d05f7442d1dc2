// The result of sem_trywait is ignored, so the counter is not protected.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  sem_t s;
  sem_init(&s, 0, 1);
  int counter = 0;
  auto work = [&] {
    (void)!sem_trywait(&s);
    int copy = counter;
    std::this_thread::yield();
    counter = copy + 1;
    sem_post(&s);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 2);
}
