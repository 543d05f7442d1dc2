// A destructor sets another key, whose destructor then runs in a further iteration.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

namespace {

pthread_key_t first, second;
int order[2];
int n;
void DestroyFirst(void* value) {
  order[n++] = 1;
  assert(pthread_setspecific(second, value) == 0);
}
void DestroySecond(void*) { order[n++] = 2; }

}  // namespace

JOSTLE_CASE("pass") {
  n = 0;
  assert(pthread_key_create(&first, DestroyFirst) == 0);
  assert(pthread_key_create(&second, DestroySecond) == 0);
  char token;
  std::thread t([&] { assert(pthread_setspecific(first, &token) == 0); });
  t.join();
  assert(n == 2 && order[0] == 1 && order[1] == 2);
  assert(pthread_key_delete(first) == 0);
  assert(pthread_key_delete(second) == 0);
  assert(pthread_key_delete(second) == EINVAL);
  assert(pthread_setspecific(second, &token) == EINVAL);
}
