#include "runtime/interpose/interpose.h"

using namespace jostle;

// The C library types the object volatile; the model only needs its address.
JOSTLE_EXPORT int pthread_spin_init(pthread_spinlock_t* l, int shared) noexcept {
  if (Thread* t = self())
    model::object_init(*t->scheduler, *t, at(l), ObjectKind::spin, JOSTLE_CALLER);
  return real::ready(), real::pthread_spin_init(l, shared);
}
JOSTLE_EXPORT int pthread_spin_destroy(pthread_spinlock_t* l) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_spin_destroy(l);
  model::object_destroy(*t->scheduler, *t, at(l), ObjectKind::spin, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* l) noexcept {
  if (Thread* t = self()) return model::spin_lock(*t->scheduler, *t, at(l), JOSTLE_CALLER);
  return real::ready(), real::pthread_spin_lock(l);
}
JOSTLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* l) noexcept {
  if (Thread* t = self()) return model::spin_trylock(*t->scheduler, *t, at(l), JOSTLE_CALLER);
  return real::ready(), real::pthread_spin_trylock(l);
}
JOSTLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* l) noexcept {
  if (Thread* t = self()) return model::spin_unlock(*t->scheduler, *t, at(l), JOSTLE_CALLER);
  return real::ready(), real::pthread_spin_unlock(l);
}
