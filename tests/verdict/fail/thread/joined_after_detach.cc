// A thread may have detached itself by the time that it is joined.
#include <pthread.h>

#include <atomic>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  static std::atomic<bool> done;
  done = false;
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        pthread_detach(pthread_self());
        done = true;
        return nullptr;
      },
      nullptr);
  const int r = pthread_join(t, nullptr);
  while (!done) sched_yield();
  assert(r == 0);
}
