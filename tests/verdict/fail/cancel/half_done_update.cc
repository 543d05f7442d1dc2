// A cancellation point in the middle of an update leaves the pair inconsistent.
#include <pthread.h>

#include "tests/support/case.h"

namespace {

struct State {
  int x = 0, y = 0;
};
void* Run(void* arg) {
  auto* s = static_cast<State*>(arg);
  s->x = 1;
  pthread_testcancel();
  s->y = 1;
  return nullptr;
}

}  // namespace

JOSTLE_CASE("assertion") {
  State s;
  pthread_t t;
  pthread_create(&t, nullptr, Run, &s);
  pthread_cancel(t);
  pthread_join(t, nullptr);
  assert(s.x == s.y);
}
