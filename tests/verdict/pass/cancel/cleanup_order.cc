// Cleanup handlers run last in, first out, when a thread is cancelled; destructors run too.
// CHECK: the program cancels threads
#include <pthread.h>
#include <semaphore.h>

#include "tests/support/case.h"

namespace {

struct State {
  sem_t never;
  int log[4];
  int n = 0;
};
State* state;
void Log(void* arg) { state->log[state->n++] = *static_cast<int*>(arg); }
void* Run(void*) {
  static int one = 1, two = 2, three = 3;
  pthread_cleanup_push(Log, &one);
  pthread_cleanup_push(Log, &two);
  pthread_cleanup_push(Log, &three);
  pthread_cleanup_pop(1);  // executed now
  sem_wait(&state->never);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  state = &s;
  assert(sem_init(&s.never, 0, 0) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, nullptr) == 0);
  assert(pthread_cancel(t) == 0);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED);
  assert(s.n == 3 && s.log[0] == 3 && s.log[1] == 2 && s.log[2] == 1);
}
