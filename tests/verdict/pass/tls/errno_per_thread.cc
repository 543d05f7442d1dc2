// errno belongs to the thread, whatever the others do in between.
#include <sched.h>
#include <semaphore.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  sem_t zero;
  assert(sem_init(&zero, 0, 0) == 0);
  std::thread a([&] {
    for (int i = 0; i < 2; ++i) {
      errno = 0;
      int rc = sem_trywait(&zero);
      sched_yield();
      assert(rc == -1 && errno == EAGAIN);
    }
  });
  std::thread b([&] {
    for (int i = 0; i < 2; ++i) {
      errno = EINVAL;
      sched_yield();
      assert(errno == EINVAL);
    }
  });
  a.join();
  b.join();
  assert(sem_destroy(&zero) == 0);
}
