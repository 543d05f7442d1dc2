// A thread that joins itself is told EDEADLK.
#include <pthread.h>

#include <cerrno>

#include "tests/support/case.h"

namespace {

void* JoinSelf(void*) {
  assert(pthread_join(pthread_self(), nullptr) == EDEADLK);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  pthread_t t;
  assert(pthread_create(&t, nullptr, JoinSelf, nullptr) == 0);
  assert(pthread_join(t, nullptr) == 0);
}
