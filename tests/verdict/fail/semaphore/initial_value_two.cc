// The "mutex" semaphore starts at two, so two threads are inside together.
#include <semaphore.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  sem_t s;
  sem_init(&s, 0, 2);
  std::atomic<int> inside{0};
  auto work = [&] {
    sem_wait(&s);
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
    sem_post(&s);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
