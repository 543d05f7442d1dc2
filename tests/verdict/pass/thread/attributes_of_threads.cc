// pthread_getattr_np tells what a thread was made with, and whether it was detached since. A stack
// that nobody has room for is refused.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "tests/support/case.h"

static int state_of(pthread_t t) {
  pthread_attr_t attr;
  assert(pthread_getattr_np(t, &attr) == 0);
  int state = -1;
  assert(pthread_attr_getdetachstate(&attr, &state) == 0);
  pthread_attr_destroy(&attr);
  return state;
}

static sem_t done, looked;

static void* look(void* expected) {
  assert(state_of(pthread_self()) == *static_cast<int*>(expected));
  sem_wait(&looked);
  sem_post(&done);
  return nullptr;
}

JOSTLE_CASE("pass") {
  sem_init(&done, 0, 0);
  sem_init(&looked, 0, 0);
  int detached = PTHREAD_CREATE_DETACHED, joinable = PTHREAD_CREATE_JOINABLE;
  assert(state_of(pthread_self()) == joinable);
  pthread_attr_t attr;
  assert(pthread_attr_init(&attr) == 0);
  pthread_t t;
  assert(pthread_attr_setstacksize(&attr, 1ul << 47) == 0);
  assert(pthread_create(&t, &attr, &look, &joinable) == EAGAIN);
  assert(pthread_attr_setstacksize(&attr, 16 << 20) == 0);
  assert(pthread_create(&t, &attr, &look, &joinable) == 0);
  assert(state_of(t) == joinable);
  sem_post(&looked);
  assert(pthread_join(t, nullptr) == 0);
  assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
  assert(pthread_create(&t, &attr, &look, &detached) == 0);
  assert(state_of(t) == detached);
  sem_post(&looked);
  while (sem_wait(&done) != 0 || sem_wait(&done) != 0) {
  }
  pthread_attr_destroy(&attr);
}
