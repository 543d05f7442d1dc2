// Courtois et al. with the reader count outside its mutex: the second reader goes in before the
// first one has locked the writers out.
#include <semaphore.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  sem_t room;
  sem_init(&room, 0, 1);
  std::atomic<int> readers{0};
  std::atomic<bool> writing{false};
  auto read = [&] {
    if (readers.fetch_add(1) == 0) sem_wait(&room);
    assert(!writing.load());
    if (readers.fetch_sub(1) == 1) sem_post(&room);
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
}
