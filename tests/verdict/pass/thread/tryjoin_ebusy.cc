// pthread_tryjoin_np: EBUSY while the thread lives, 0 with its value some time after.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include <cerrno>

#include "tests/support/case.h"

namespace {

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
  assert(pthread_tryjoin_np(t, &value) == EBUSY);
  assert(sem_post(&go) == 0);
  int rc;
  while ((rc = pthread_tryjoin_np(t, &value)) != 0) {
    assert(rc == EBUSY);
    sched_yield();
  }
  assert(value == &go);
  assert(sem_destroy(&go) == 0);
}
