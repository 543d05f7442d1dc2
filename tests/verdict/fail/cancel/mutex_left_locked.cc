// A thread is cancelled while it holds a mutex and has no cleanup handler.
#include <pthread.h>

#include "tests/support/case.h"

namespace {

struct State {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
};
void* Run(void* arg) {
  auto* s = static_cast<State*>(arg);
  pthread_mutex_lock(&s->m);
  pthread_testcancel();
  pthread_mutex_unlock(&s->m);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("deadlock") {
  State s;
  pthread_t t;
  pthread_create(&t, nullptr, Run, &s);
  pthread_cancel(t);
  pthread_join(t, nullptr);
  pthread_mutex_lock(&s.m);
  pthread_mutex_unlock(&s.m);
}
