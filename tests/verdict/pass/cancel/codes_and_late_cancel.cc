// EINVAL for unknown states and types; a request to a thread that may be over is harmless.
// CHECK: the program cancels threads
#include <pthread.h>

#include <cerrno>

#include "tests/support/case.h"

namespace {

void* Run(void* arg) {
  int old = -1;
  assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0);
  assert(old == PTHREAD_CANCEL_DEFERRED);
  assert(pthread_setcancelstate(99, &old) == EINVAL);
  assert(pthread_setcanceltype(99, &old) == EINVAL);
  return arg;
}

}  // namespace

JOSTLE_CASE("pass") {
  char token;
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, &token) == 0);
  int rc = pthread_cancel(t);
  assert(rc == 0 || rc == ESRCH);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0);
  assert(value == &token);
}
