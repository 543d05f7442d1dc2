#include "runtime/interpose/interpose.h"

using namespace jostle;

JOSTLE_EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attr,
                                       unsigned count) noexcept {
  if (Thread* t = self()) {
    if (const int r = model::barrier_init(*t->scheduler, *t, at(b), count, JOSTLE_CALLER)) return r;
  }
  return real::ready(), real::pthread_barrier_init(b, attr, count);
}
JOSTLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* b) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_barrier_destroy(b);
  model::object_destroy(*t->scheduler, *t, at(b), ObjectKind::barrier, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* b) noexcept {
  if (Thread* t = self()) return model::barrier_wait(*t->scheduler, *t, at(b), JOSTLE_CALLER);
  return real::ready(), real::pthread_barrier_wait(b);
}
