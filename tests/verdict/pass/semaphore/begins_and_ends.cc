// A semaphore is initialised again after it was destroyed; its range is looked at.
#include <semaphore.h>

#include <cerrno>
#include <climits>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  sem_t s;
  for (unsigned first : {0u, 1u}) {
    assert(sem_init(&s, 0, first) == 0);
    std::thread t([&] { sem_post(&s); });
    assert(sem_wait(&s) == 0);
    t.join();
    int left = -1;
    assert(sem_getvalue(&s, &left) == 0 && left == static_cast<int>(first));
    assert(sem_destroy(&s) == 0);
  }
  assert(sem_init(&s, 0, INT_MAX + 1u) == -1 && errno == EINVAL);
  assert(sem_init(&s, 0, INT_MAX) == 0);
  assert(sem_post(&s) == -1 && errno == EOVERFLOW);
}
