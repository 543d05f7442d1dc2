// With cancellation disabled the thread ends in its own way, request or not.
// CHECK: the program cancels threads
#include <pthread.h>
#include <semaphore.h>

#include "tests/support/case.h"

namespace {

void* Run(void* arg) {
  assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr) == 0);
  assert(sem_wait(static_cast<sem_t*>(arg)) == 0);
  pthread_testcancel();
  return arg;
}

}  // namespace

JOSTLE_CASE("pass") {
  sem_t go;
  assert(sem_init(&go, 0, 0) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, &go) == 0);
  assert(pthread_cancel(t) == 0);
  assert(sem_post(&go) == 0);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0);
  assert(value == &go);
}
