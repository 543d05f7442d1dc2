// The classic pair of semaphores around a ring of two, with plain data in the ring.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  sem_t empty, full;
  assert(sem_init(&empty, 0, 2) == 0);
  assert(sem_init(&full, 0, 0) == 0);
  int ring[2] = {0, 0};
  std::thread producer([&] {
    for (int i = 0; i < 4; ++i) {
      assert(sem_wait(&empty) == 0);
      ring[i % 2] = i + 1;
      assert(sem_post(&full) == 0);
    }
  });
  for (int i = 0; i < 4; ++i) {
    assert(sem_wait(&full) == 0);
    assert(ring[i % 2] == i + 1);
    assert(sem_post(&empty) == 0);
  }
  producer.join();
  assert(sem_destroy(&empty) == 0);
  assert(sem_destroy(&full) == 0);
}
