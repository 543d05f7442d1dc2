// readers_writers with the count and the door under one mutex.
#include <semaphore.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  sem_t room;
  sem_init(&room, 0, 1);
  std::mutex m;
  int readers = 0;
  std::atomic<bool> writing{false};
  auto read = [&] {
    {
      std::lock_guard<std::mutex> lock(m);
      if (readers++ == 0) sem_wait(&room);
    }
    assert(!writing.load());
    std::lock_guard<std::mutex> lock(m);
    if (--readers == 0) sem_post(&room);
  };
  std::thread r1(read), r2(read);
  std::thread w([&] {
    sem_wait(&room);
    writing.store(true);
    writing.store(false);
    sem_post(&room);
  });
  r1.join();
  r2.join();
  w.join();
  sem_destroy(&room);
}
