// pthread_self agrees with what create stored; ids of live threads differ.
#include <pthread.h>

#include "tests/support/case.h"

namespace {

struct Slot {
  pthread_t self;
};
void* Run(void* arg) {
  static_cast<Slot*>(arg)->self = pthread_self();
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  Slot slots[2];
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&t[i], nullptr, Run, &slots[i]) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(t[i], nullptr) == 0);
  assert(pthread_equal(t[0], slots[0].self));
  assert(pthread_equal(t[1], slots[1].self));
  assert(!pthread_equal(t[0], t[1]));
  assert(!pthread_equal(t[0], pthread_self()));
}
