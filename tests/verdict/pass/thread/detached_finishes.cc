// A detached thread that says it is done as its last act; joining it is EINVAL before that.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "tests/support/case.h"

namespace {

struct State {
  sem_t go, done;
};
void* Run(void* arg) {
  auto* state = static_cast<State*>(arg);
  assert(sem_wait(&state->go) == 0);
  assert(sem_post(&state->done) == 0);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  State state;
  assert(sem_init(&state.go, 0, 0) == 0);
  assert(sem_init(&state.done, 0, 0) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, &state) == 0);
  assert(pthread_detach(t) == 0);
  assert(pthread_detach(t) == EINVAL);
  assert(pthread_join(t, nullptr) == EINVAL);
  assert(sem_post(&state.go) == 0);
  assert(sem_wait(&state.done) == 0);
}
