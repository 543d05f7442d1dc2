// There are PTHREAD_KEYS_MAX keys, some of which may be taken; the next one is EAGAIN, or the error
// of <threads.h>, until one is given back.
// RUN: executions=20
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include "tests/support/case.h"

static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];

JOSTLE_CASE("pass") {
  int n = 0, error = 0;
  while (n <= PTHREAD_KEYS_MAX && (error = pthread_key_create(&keys[n], nullptr)) == 0) ++n;
  assert(error == EAGAIN && n > 100 && n <= PTHREAD_KEYS_MAX);
  tss_t one;
  assert(tss_create(&one, nullptr) == thrd_error);
  assert(pthread_key_delete(keys[--n]) == 0);
  assert(pthread_key_delete(keys[n]) == EINVAL);
  assert(tss_create(&one, nullptr) == thrd_success);
  tss_delete(one);
  while (n > 0) assert(pthread_key_delete(keys[--n]) == 0);
}
