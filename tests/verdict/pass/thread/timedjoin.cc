// pthread_timedjoin_np and clockjoin_np: ETIMEDOUT while the thread is blocked, then the value.
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
  void* value = nullptr;
  timespec deadline = Deadline(CLOCK_REALTIME, 2);
  assert(pthread_timedjoin_np(t, &value, &deadline) == ETIMEDOUT);
  deadline = Deadline(CLOCK_MONOTONIC, 2);
  assert(pthread_clockjoin_np(t, &value, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
  assert(sem_post(&go) == 0);
  int rc;
  do {
    deadline = Deadline(CLOCK_REALTIME, 2);
    rc = pthread_timedjoin_np(t, &value, &deadline);
    assert(rc == 0 || rc == ETIMEDOUT);
  } while (rc != 0);
  assert(value == &go);
}
