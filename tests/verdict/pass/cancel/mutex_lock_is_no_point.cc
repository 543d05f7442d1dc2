// pthread_mutex_lock is not a cancellation point: a blocked locker gets the mutex first.
// CHECK: the program cancels threads
#include <pthread.h>

#include "tests/support/case.h"

namespace {

struct State {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int locked = 0;
};
void* Run(void* arg) {
  auto* s = static_cast<State*>(arg);
  assert(pthread_mutex_lock(&s->m) == 0);
  s->locked = 1;
  assert(pthread_mutex_unlock(&s->m) == 0);
  pthread_testcancel();
  s->locked = 2;
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  assert(pthread_mutex_lock(&s.m) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, &s) == 0);
  assert(pthread_cancel(t) == 0);
  assert(pthread_mutex_unlock(&s.m) == 0);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED);
  assert(s.locked == 1);
}
