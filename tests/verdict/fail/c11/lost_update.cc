// The mutex is released between reading and writing.
#include <threads.h>

#include "tests/support/case.h"

namespace {

struct State {
  mtx_t m;
  int counter = 0;
};
int Work(void* arg) {
  auto* s = static_cast<State*>(arg);
  mtx_lock(&s->m);
  int copy = s->counter;
  mtx_unlock(&s->m);
  mtx_lock(&s->m);
  s->counter = copy + 1;
  mtx_unlock(&s->m);
  return 0;
}

}  // namespace

JOSTLE_CASE("assertion") {
  State s;
  mtx_init(&s.m, mtx_plain);
  thrd_t t1, t2;
  thrd_create(&t1, Work, &s);
  thrd_create(&t2, Work, &s);
  thrd_join(t1, nullptr);
  thrd_join(t2, nullptr);
  assert(s.counter == 2);
  mtx_destroy(&s.m);
}
