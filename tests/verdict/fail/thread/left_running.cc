// The body ends without joining; the thread may still have a long way to go.
#include <pthread.h>
#include <sched.h>

#include <atomic>

#include "tests/support/case.h"

namespace {

std::atomic<int> steps;
void* Work(void*) {
  for (int i = 0; i < 50; ++i) {
    steps.fetch_add(1);
    sched_yield();
  }
  return nullptr;
}

}  // namespace

JOSTLE_CASE("misuse") {
  steps = 0;
  pthread_t t;
  pthread_create(&t, nullptr, Work, nullptr);
  while (steps.load() == 0) sched_yield();
}
