// Waiters blocked on a robust mutex are released with ENOTRECOVERABLE when the heir gives up, as
// POSIX says. (glibc 2.36 itself can leave the second waiter asleep.)
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);

  std::thread dying([&] { assert(pthread_mutex_lock(&m) == 0); });
  dying.join();
  assert(pthread_mutex_lock(&m) == EOWNERDEAD);
  std::thread a([&] { assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE); });
  std::thread b([&] { assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE); });
  assert(pthread_mutex_unlock(&m) == 0);
  a.join();
  b.join();
  assert(pthread_mutex_destroy(&m) == 0);
}
