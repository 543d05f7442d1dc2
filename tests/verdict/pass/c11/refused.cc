// Errors of <threads.h>, and a thread that is detached.
#include <threads.h>

#include <atomic>
#include <ctime>

#include "tests/support/case.h"

static mtx_t m;
static cnd_t c;
static bool over;

static int end(void*) {
  mtx_lock(&m);
  over = true;
  cnd_signal(&c);
  mtx_unlock(&m);
  return 0;
}

JOSTLE_CASE("pass") {
  over = false;
  assert(mtx_init(&m, mtx_timed) == thrd_success && cnd_init(&c) == thrd_success);
  thrd_t t;
  assert(thrd_create(&t, &end, nullptr) == thrd_success);
  assert(thrd_detach(t) == thrd_success);
  assert(mtx_lock(&m) == thrd_success);
  while (!over) assert(cnd_wait(&c, &m) == thrd_success);
  const timespec past = {1, 0}, wrong = {0, -1};
  assert(cnd_timedwait(&c, &m, &past) == thrd_timedout);
  assert(cnd_timedwait(&c, &m, &wrong) == thrd_error);
  assert(mtx_trylock(&m) == thrd_busy);
  assert(mtx_timedlock(&m, &past) == thrd_timedout);
  assert(mtx_timedlock(&m, &wrong) == thrd_error);
  assert(mtx_unlock(&m) == thrd_success);
  assert(thrd_sleep(&wrong, nullptr) == -2);
  assert(thrd_join(thrd_current(), nullptr) == thrd_error);
  cnd_destroy(&c);
  mtx_destroy(&m);
}
