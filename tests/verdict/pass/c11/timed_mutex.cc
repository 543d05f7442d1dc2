// mtx_timedlock: thrd_timedout while another thread holds it; recursion with mtx_recursive.
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
};
int Try(void* arg) {
  auto* s = static_cast<State*>(arg);
  timespec deadline = Deadline(CLOCK_REALTIME, 2);
  assert(mtx_timedlock(&s->m, &deadline) == thrd_timedout);
  return 0;
}

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  assert(mtx_init(&s.m, mtx_timed | mtx_recursive) == thrd_success);
  assert(mtx_lock(&s.m) == thrd_success);
  assert(mtx_trylock(&s.m) == thrd_success);
  thrd_t t;
  assert(thrd_create(&t, Try, &s) == thrd_success);
  assert(thrd_join(t, nullptr) == thrd_success);
  assert(mtx_unlock(&s.m) == thrd_success);
  assert(mtx_unlock(&s.m) == thrd_success);
  mtx_destroy(&s.m);
}
