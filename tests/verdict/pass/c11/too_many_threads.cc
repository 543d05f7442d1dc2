// As many threads as there can be; the C library calls one more an error.
// RUN: executions=2
// CHECK: it has too many schedules to execute all of them here
#include <threads.h>

#include <vector>

#include "tests/support/case.h"

static mtx_t m;

static int wait(void*) {
  mtx_lock(&m);
  mtx_unlock(&m);
  return 1;
}

JOSTLE_CASE("pass") {
  mtx_init(&m, mtx_plain);
  mtx_lock(&m);
  std::vector<thrd_t> threads;
  int error = 0;
  for (thrd_t t; (error = thrd_create(&t, &wait, nullptr)) == thrd_success;) threads.push_back(t);
  assert(error == thrd_error && threads.size() > 1000);
  mtx_unlock(&m);
  for (thrd_t t : threads) {
    int result = 0;
    assert(thrd_join(t, &result) == thrd_success && result == 1);
  }
  mtx_destroy(&m);
}
