// cnd_wait in a loop, cnd_broadcast, and cnd_timedwait that times out.
#include <threads.h>

#include <ctime>

#include "tests/support/case.h"

namespace {

// Absolute time on `clock`, `ms` milliseconds from now.
timespec Deadline(clockid_t clock, long ms) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

struct State {
  mtx_t m;
  cnd_t c;
  int ready = 0;
};
int Wait(void* arg) {
  auto* s = static_cast<State*>(arg);
  assert(mtx_lock(&s->m) == thrd_success);
  while (!s->ready) assert(cnd_wait(&s->c, &s->m) == thrd_success);
  assert(mtx_unlock(&s->m) == thrd_success);
  return 0;
}

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  assert(mtx_init(&s.m, mtx_plain) == thrd_success);
  assert(cnd_init(&s.c) == thrd_success);
  thrd_t a, b;
  assert(thrd_create(&a, Wait, &s) == thrd_success);
  assert(thrd_create(&b, Wait, &s) == thrd_success);
  assert(mtx_lock(&s.m) == thrd_success);
  timespec deadline = Deadline(CLOCK_REALTIME, 1);
  int rc;
  while ((rc = cnd_timedwait(&s.c, &s.m, &deadline)) == thrd_success) {
  }
  assert(rc == thrd_timedout);
  s.ready = 1;
  assert(cnd_broadcast(&s.c) == thrd_success);
  assert(mtx_unlock(&s.m) == thrd_success);
  assert(thrd_join(a, nullptr) == thrd_success);
  assert(thrd_join(b, nullptr) == thrd_success);
  cnd_destroy(&s.c);
  mtx_destroy(&s.m);
}
