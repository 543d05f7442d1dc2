// sem_trywait: EAGAIN at zero, else it takes one; sem_getvalue counts along.
#include <semaphore.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  sem_t s;
  assert(sem_init(&s, 0, 2) == 0);
  int value = -1;
  assert(sem_getvalue(&s, &value) == 0 && value == 2);
  std::thread t([&] {
    assert(sem_trywait(&s) == 0);
    assert(sem_trywait(&s) == 0);
    errno = 0;
    assert(sem_trywait(&s) == -1 && errno == EAGAIN);
  });
  t.join();
  assert(sem_getvalue(&s, &value) == 0 && value == 0);
  errno = 0;
  assert(sem_trywait(&s) == -1 && errno == EAGAIN);
  assert(sem_post(&s) == 0);
  assert(sem_getvalue(&s, &value) == 0 && value == 1);
  assert(sem_trywait(&s) == 0);
  assert(sem_destroy(&s) == 0);
}
