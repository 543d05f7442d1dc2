// The request is made but the thread has disabled cancellation and waits for ever.
#include <pthread.h>
#include <semaphore.h>

#include "tests/support/case.h"

namespace {

void* Run(void* arg) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  sem_wait(static_cast<sem_t*>(arg));
  return nullptr;
}

}  // namespace

JOSTLE_CASE("deadlock") {
  sem_t never;
  sem_init(&never, 0, 0);
  pthread_t t;
  pthread_create(&t, nullptr, Run, &never);
  pthread_cancel(t);
  pthread_join(t, nullptr);
}
