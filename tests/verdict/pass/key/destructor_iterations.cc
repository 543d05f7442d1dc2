// A destructor that sets the value again is called PTHREAD_DESTRUCTOR_ITERATIONS times.
#include <pthread.h>

#include <climits>
#include <thread>

#include "tests/support/case.h"

namespace {

pthread_key_t key;
int calls;
void Destroy(void* value) {
  ++calls;
  assert(pthread_getspecific(key) == nullptr);
  assert(pthread_setspecific(key, value) == 0);
}

}  // namespace

JOSTLE_CASE("pass") {
  calls = 0;
  assert(pthread_key_create(&key, Destroy) == 0);
  char token;
  std::thread t([&] { assert(pthread_setspecific(key, &token) == 0); });
  t.join();
  assert(calls == PTHREAD_DESTRUCTOR_ITERATIONS);
  assert(pthread_key_delete(key) == 0);
}
