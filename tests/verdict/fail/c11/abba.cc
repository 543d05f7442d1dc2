// Two mtx_t in opposite orders.
#include <threads.h>

#include "tests/support/case.h"

namespace {

struct State {
  mtx_t a, b;
};
int Forward(void* arg) {
  auto* s = static_cast<State*>(arg);
  mtx_lock(&s->a);
  mtx_lock(&s->b);
  mtx_unlock(&s->b);
  mtx_unlock(&s->a);
  return 0;
}
int Backward(void* arg) {
  auto* s = static_cast<State*>(arg);
  mtx_lock(&s->b);
  mtx_lock(&s->a);
  mtx_unlock(&s->a);
  mtx_unlock(&s->b);
  return 0;
}

}  // namespace

JOSTLE_CASE("deadlock") {
  State s;
  mtx_init(&s.a, mtx_plain);
  mtx_init(&s.b, mtx_plain);
  thrd_t t1, t2;
  thrd_create(&t1, Forward, &s);
  thrd_create(&t2, Backward, &s);
  thrd_join(t1, nullptr);
  thrd_join(t2, nullptr);
}
