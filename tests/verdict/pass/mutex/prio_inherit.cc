// PTHREAD_PRIO_INHERIT mutexes lock, try and exclude like others.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  int protocol = -1;
  assert(pthread_mutexattr_getprotocol(&attr, &protocol) == 0 && protocol == PTHREAD_PRIO_NONE);
  assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
  assert(pthread_mutexattr_getprotocol(&attr, &protocol) == 0);
  assert(protocol == PTHREAD_PRIO_INHERIT);
  assert(pthread_mutexattr_setprotocol(&attr, 77) == EINVAL);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  int counter = 0;
  auto work = [&] {
    assert(pthread_mutex_lock(&m) == 0);
    ++counter;
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_mutex_unlock(&m) == 0);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 2);
  assert(pthread_mutex_destroy(&m) == 0);
}
