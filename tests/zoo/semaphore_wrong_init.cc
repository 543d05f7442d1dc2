// The "items" semaphore of a producer and consumer starts at one: the consumer reads an empty slot.
#include <semaphore.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  sem_t items;
  sem_init(&items, 0, 1);
  std::atomic<int> slot{0};
  std::thread consumer([&] {
    sem_wait(&items);
    assert(slot.load() == 42);
  });
  slot.store(42);
  sem_post(&items);
  consumer.join();
}
