// cnd_signal where cnd_broadcast is needed.
#include <threads.h>

#include "tests/support/case.h"

namespace {

struct State {
  mtx_t m;
  cnd_t c;
  int open = 0;
};
int Wait(void* arg) {
  auto* s = static_cast<State*>(arg);
  mtx_lock(&s->m);
  while (!s->open) cnd_wait(&s->c, &s->m);
  mtx_unlock(&s->m);
  return 0;
}

}  // namespace

JOSTLE_CASE("deadlock") {
  State s;
  mtx_init(&s.m, mtx_plain);
  cnd_init(&s.c);
  thrd_t a, b;
  thrd_create(&a, Wait, &s);
  thrd_create(&b, Wait, &s);
  mtx_lock(&s.m);
  s.open = 1;
  cnd_signal(&s.c);
  mtx_unlock(&s.m);
  thrd_join(a, nullptr);
  thrd_join(b, nullptr);
}
