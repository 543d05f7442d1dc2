// Cancelled in pthread_cond_wait: the mutex is held again when the cleanup handler runs.
// CHECK: the program cancels threads
#include <pthread.h>

#include "tests/support/case.h"

namespace {

struct State {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  int value = 0;
};
void Unlock(void* arg) {
  auto* s = static_cast<State*>(arg);
  ++s->value;
  assert(pthread_mutex_unlock(&s->m) == 0);
}
void* Wait(void* arg) {
  auto* s = static_cast<State*>(arg);
  assert(pthread_mutex_lock(&s->m) == 0);
  pthread_cleanup_push(Unlock, s);
  for (;;) pthread_cond_wait(&s->c, &s->m);
  pthread_cleanup_pop(0);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  pthread_t t;
  assert(pthread_create(&t, nullptr, Wait, &s) == 0);
  assert(pthread_cancel(t) == 0);
  assert(pthread_mutex_lock(&s.m) == 0);
  ++s.value;
  assert(pthread_mutex_unlock(&s.m) == 0);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED);
  assert(pthread_mutex_lock(&s.m) == 0);
  assert(s.value == 2);
  assert(pthread_mutex_unlock(&s.m) == 0);
}
