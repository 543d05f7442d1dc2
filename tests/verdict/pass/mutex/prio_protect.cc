// PTHREAD_PRIO_PROTECT: the attributes round-trip; locking may need a privilege (EPERM, EINVAL)
// but when it succeeds it excludes.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) == 0);
  assert(pthread_mutexattr_setprioceiling(&attr, 10) == 0);
  int ceiling = 0;
  assert(pthread_mutexattr_getprioceiling(&attr, &ceiling) == 0 && ceiling == 10);
  assert(pthread_mutexattr_setprioceiling(&attr, 100000) == EINVAL);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  int inside = 0;  // protected by m
  auto work = [&] {
    int rc = pthread_mutex_lock(&m);
    assert(rc == 0 || rc == EPERM || rc == EINVAL);
    if (rc != 0) return;
    ++inside;
    assert(inside == 1);
    --inside;
    assert(pthread_mutex_unlock(&m) == 0);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(pthread_mutex_destroy(&m) == 0);
}
