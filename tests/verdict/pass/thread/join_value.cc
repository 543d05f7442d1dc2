// The value a thread returns, or gives to pthread_exit, is what join delivers.
#include <pthread.h>

#include "tests/support/case.h"

namespace {

void* Return(void* arg) { return static_cast<char*>(arg) + 1; }
[[noreturn]] void Deep(void* value) { pthread_exit(value); }
void* Exit(void* arg) { Deep(static_cast<char*>(arg) + 2); }

}  // namespace

JOSTLE_CASE("pass") {
  char base[4];
  pthread_t a, b, c;
  assert(pthread_create(&a, nullptr, Return, base) == 0);
  assert(pthread_create(&b, nullptr, Exit, base) == 0);
  assert(pthread_create(&c, nullptr, Return, base + 2) == 0);
  void* value = nullptr;
  assert(pthread_join(b, &value) == 0 && value == base + 2);
  assert(pthread_join(a, &value) == 0 && value == base + 1);
  assert(pthread_join(c, nullptr) == 0);
}
