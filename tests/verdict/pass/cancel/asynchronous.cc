// PTHREAD_CANCEL_ASYNCHRONOUS: a thread that computes without end, and one that waits for a lock,
// end when they are cancelled; so does one that was cancelled before it allowed that.
// CHECK: the program cancels threads
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>

#include "tests/support/case.h"

namespace {

std::atomic<int> started;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* Compute(void*) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  started = 1;
  while (started.load() != 2) {
  }
  return nullptr;
}
void* Lock(void*) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  pthread_mutex_lock(&mutex);
  return nullptr;
}
void* Late(void*) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  started = 1;
  while (started.load() != 2) sched_yield();
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  abort();
  return nullptr;
}

void Cancelled(void* (*function)(void*), bool wait) {
  started = 0;
  pthread_t t;
  assert(pthread_create(&t, nullptr, function, nullptr) == 0);
  while (wait && started.load() == 0) sched_yield();
  assert(pthread_cancel(t) == 0);
  if (function == Late) started = 2;
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0);
  assert(value == PTHREAD_CANCELED);
}

}  // namespace

JOSTLE_CASE("pass") {
  Cancelled(Compute, true);
  Cancelled(Compute, false);
  pthread_mutex_lock(&mutex);
  Cancelled(Lock, false);
  pthread_mutex_unlock(&mutex);
  Cancelled(Late, true);
}
