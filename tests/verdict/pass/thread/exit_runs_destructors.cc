// pthread_exit unwinds the stack of the thread: objects die and cleanup handlers run.
#include <pthread.h>

#include "tests/support/case.h"

namespace {

struct Counter {
  int* count;
  ~Counter() { ++*count; }
};
void Handler(void* arg) { *static_cast<int*>(arg) += 10; }
void* Run(void* arg) {
  Counter outer{static_cast<int*>(arg)};
  pthread_cleanup_push(Handler, arg);
  Counter inner{static_cast<int*>(arg)};
  pthread_exit(arg);
  pthread_cleanup_pop(0);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  int count = 0;
  pthread_t t;
  assert(pthread_create(&t, nullptr, Run, &count) == 0);
  void* value = nullptr;
  assert(pthread_join(t, &value) == 0 && value == &count);
  assert(count == 12);
}
