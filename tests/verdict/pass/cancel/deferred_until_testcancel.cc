// Deferred cancellation acts at pthread_testcancel and nowhere before.
// CHECK: the program cancels threads
#include <pthread.h>
#include <semaphore.h>

#include "tests/support/case.h"

namespace {

struct State {
  sem_t cancelled;
  bool before = false;
  bool after = false;
};
void* Run(void* arg) {
  auto* s = static_cast<State*>(arg);
  int old = -1;
  assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
  assert(old == PTHREAD_CANCEL_ENABLE);
  assert(sem_wait(&s->cancelled) == 0);  // the request is made by now
  assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
  assert(old == PTHREAD_CANCEL_DISABLE);
  s->before = true;
  pthread_testcancel();
  s->after = true;
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  assert(sem_init(&s.cancelled, 0, 0) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, &s) == 0);
  assert(pthread_cancel(t) == 0);
  assert(sem_post(&s.cancelled) == 0);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0);
  // The request may have been acted upon before the state was disabled only at a cancellation
  // point, and there is none.
  assert(value == PTHREAD_CANCELED && s.before && !s.after);
}
