// sem_init beyond SEM_VALUE_MAX is EINVAL; sem_post at SEM_VALUE_MAX is EOVERFLOW.
#include <semaphore.h>

#include <cerrno>
#include <climits>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  sem_t s;
  errno = 0;
  assert(sem_init(&s, 0, static_cast<unsigned>(SEM_VALUE_MAX) + 1u) == -1 && errno == EINVAL);
  assert(sem_init(&s, 0, SEM_VALUE_MAX) == 0);
  std::thread t([&] {
    errno = 0;
    assert(sem_post(&s) == -1 && errno == EOVERFLOW);
    assert(sem_wait(&s) == 0);
    assert(sem_post(&s) == 0);
  });
  t.join();
  assert(sem_destroy(&s) == 0);
}
