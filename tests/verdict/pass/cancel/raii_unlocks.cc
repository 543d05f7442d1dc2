// Cancellation unwinds C++ frames: the lock guard unlocks, so nobody is stuck.
// CHECK: the program cancels threads
#include <pthread.h>
#include <semaphore.h>

#include <mutex>

#include "tests/support/case.h"

namespace {

struct State {
  std::mutex m;
  sem_t never;
};
void* Run(void* arg) {
  auto* s = static_cast<State*>(arg);
  std::lock_guard<std::mutex> lock(s->m);
  sem_wait(&s->never);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  assert(sem_init(&s.never, 0, 0) == 0);
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, &s) == 0);
  assert(pthread_cancel(t) == 0);
  s.m.lock();
  s.m.unlock();
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED);
}
