// pthread_timedjoin_np with a bad tv_nsec: EINVAL, says the manual. (glibc 2.36 itself does not
// return.)
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <ctime>

#include "tests/support/case.h"

namespace {

// Absolute time on `clock`, `ms` milliseconds from now.
timespec Deadline(clockid_t clock, long ms) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

void* Wait(void* arg) {
  assert(sem_wait(static_cast<sem_t*>(arg)) == 0);
  return arg;
}

}  // namespace

JOSTLE_CASE("pass") {
  sem_t go;
  assert(sem_init(&go, 0, 0) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Wait, &go) == 0);
  timespec bad = Deadline(CLOCK_REALTIME, 1000);
  bad.tv_nsec = 1000000000;
  assert(pthread_timedjoin_np(t, nullptr, &bad) == EINVAL);
  assert(sem_post(&go) == 0);
  assert(pthread_join(t, nullptr) == 0);
}
