// A thread blocked at a cancellation point (sem_wait) is cancelled: PTHREAD_CANCELED.
// CHECK: the program cancels threads
#include <pthread.h>
#include <semaphore.h>

#include "tests/support/case.h"

namespace {

void* Wait(void* arg) {
  sem_wait(static_cast<sem_t*>(arg));
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  sem_t never;
  assert(sem_init(&never, 0, 0) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Wait, &never) == 0);
  assert(pthread_cancel(t) == 0);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0);
  assert(value == PTHREAD_CANCELED);
  assert(sem_destroy(&never) == 0);
}
