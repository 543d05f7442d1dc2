// thrd_create, thrd_join with the result, mtx_lock, mtx_trylock, thrd_equal.
#include <threads.h>

#include "tests/support/case.h"

namespace {

struct State {
  mtx_t m;
  int counter = 0;
};
int Work(void* arg) {
  auto* s = static_cast<State*>(arg);
  assert(mtx_lock(&s->m) == thrd_success);
  ++s->counter;
  assert(mtx_trylock(&s->m) == thrd_busy);
  assert(mtx_unlock(&s->m) == thrd_success);
  thrd_yield();
  return 7;
}
int Exit(void*) { thrd_exit(8); }

}  // namespace

JOSTLE_CASE("pass") {
  State s;
  assert(mtx_init(&s.m, mtx_plain) == thrd_success);
  thrd_t a, b, c;
  assert(thrd_create(&a, Work, &s) == thrd_success);
  assert(thrd_create(&b, Work, &s) == thrd_success);
  assert(thrd_create(&c, Exit, nullptr) == thrd_success);
  assert(!thrd_equal(a, b) && thrd_equal(thrd_current(), thrd_current()));
  int result = 0;
  assert(thrd_join(a, &result) == thrd_success && result == 7);
  assert(thrd_join(b, &result) == thrd_success && result == 7);
  assert(thrd_join(c, &result) == thrd_success && result == 8);
  assert(s.counter == 2);
  mtx_destroy(&s.m);
}
