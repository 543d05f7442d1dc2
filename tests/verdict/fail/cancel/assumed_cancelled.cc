// The thread may finish before the request reaches a cancellation point.
// CHECK: cancellation is not in the table.
#include <pthread.h>

#include "tests/support/case.h"

namespace {

void* Run(void*) {
  pthread_testcancel();
  return nullptr;
}

}  // namespace

JOSTLE_CASE("assertion") {
  pthread_t t;
  pthread_create(&t, nullptr, Run, nullptr);
  pthread_cancel(t);
  void* value = nullptr;
  pthread_join(t, &value);
  assert(value == PTHREAD_CANCELED);
}
