// mtx_unlock by a thread that does not own the mutex.
#include <threads.h>

#include "tests/support/case.h"

namespace {

int Unlock(void* arg) {
  mtx_unlock(static_cast<mtx_t*>(arg));
  return 0;
}

}  // namespace

JOSTLE_CASE("misuse") {
  mtx_t m;
  mtx_init(&m, mtx_plain);
  mtx_lock(&m);
  thrd_t t;
  thrd_create(&t, Unlock, &m);
  thrd_join(t, nullptr);
}
