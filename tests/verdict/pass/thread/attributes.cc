// Thread attributes: defaults, EINVAL, and the stack size asked for is usable.
#include <pthread.h>

#include <cerrno>
#include <cstdlib>

#include "tests/support/case.h"

namespace {

void* UseStack(void*) {
  volatile char big[200 * 1024];
  for (size_t i = 0; i < sizeof big; i += 4096) big[i] = 1;
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  pthread_attr_t attr;
  assert(pthread_attr_init(&attr) == 0);
  int state = -1;
  assert(pthread_attr_getdetachstate(&attr, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
  assert(pthread_attr_setdetachstate(&attr, 99) == EINVAL);
  assert(pthread_attr_setstacksize(&attr, 1) == EINVAL);
  assert(pthread_attr_setstacksize(&attr, 512 * 1024) == 0);
  size_t size = 0;
  assert(pthread_attr_getstacksize(&attr, &size) == 0 && size == 512 * 1024);
  pthread_t t;
  assert(pthread_create(&t, &attr, UseStack, nullptr) == 0);
  assert(pthread_attr_destroy(&attr) == 0);
  assert(pthread_join(t, nullptr) == 0);
}
