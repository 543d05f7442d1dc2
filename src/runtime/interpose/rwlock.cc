#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

bool prefers_writers(const pthread_rwlock_t* l) {
  return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

}  // namespace

JOSTLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* l,
                                      const pthread_rwlockattr_t* attr) noexcept {
  if (Thread* t = self())
    model::object_init(*t->scheduler, *t, at(l), ObjectKind::rwlock, JOSTLE_CALLER);
  return real::ready(), real::pthread_rwlock_init(l, attr);
}
JOSTLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* l) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_rwlock_destroy(l);
  model::object_destroy(*t->scheduler, *t, at(l), ObjectKind::rwlock, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept {
  if (Thread* t = self())
    return model::rwlock_rdlock(*t->scheduler, *t, at(l), prefers_writers(l), JOSTLE_CALLER);
  return outside(EventKind::rwlock_rdlock, l, JOSTLE_CALLER), real::pthread_rwlock_rdlock(l);
}
JOSTLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept {
  if (Thread* t = self()) return model::rwlock_wrlock(*t->scheduler, *t, at(l), JOSTLE_CALLER);
  return outside(EventKind::rwlock_wrlock, l, JOSTLE_CALLER), real::pthread_rwlock_wrlock(l);
}
JOSTLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) noexcept {
  if (Thread* t = self())
    return model::rwlock_tryrdlock(*t->scheduler, *t, at(l), prefers_writers(l), JOSTLE_CALLER);
  return outside(EventKind::rwlock_tryrdlock, l, JOSTLE_CALLER), real::pthread_rwlock_tryrdlock(l);
}
JOSTLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* l) noexcept {
  if (Thread* t = self()) return model::rwlock_trywrlock(*t->scheduler, *t, at(l), JOSTLE_CALLER);
  return outside(EventKind::rwlock_trywrlock, l, JOSTLE_CALLER), real::pthread_rwlock_trywrlock(l);
}
JOSTLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* l) noexcept {
  if (Thread* t = self()) return model::rwlock_unlock(*t->scheduler, *t, at(l), JOSTLE_CALLER);
  return outside(EventKind::rwlock_unlock, l, JOSTLE_CALLER), real::pthread_rwlock_unlock(l);
}
JOSTLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* ts) noexcept {
  Thread* t = self();
  if (!t)
    return outside(EventKind::rwlock_rdlock, l, JOSTLE_CALLER),
           real::pthread_rwlock_timedrdlock(l, ts);
  if (!valid(ts)) return EINVAL;
  return model::rwlock_rdlock(*t->scheduler, *t, at(l), prefers_writers(l), JOSTLE_CALLER,
                              deadline(CLOCK_REALTIME, ts));
}
JOSTLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t clock,
                                             const timespec* ts) noexcept {
  Thread* t = self();
  if (!t)
    return outside(EventKind::rwlock_rdlock, l, JOSTLE_CALLER),
           real::pthread_rwlock_clockrdlock(l, clock, ts);
  if (!valid(clock) || !valid(ts)) return EINVAL;
  return model::rwlock_rdlock(*t->scheduler, *t, at(l), prefers_writers(l), JOSTLE_CALLER,
                              deadline(clock, ts));
}
JOSTLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* ts) noexcept {
  Thread* t = self();
  if (!t)
    return outside(EventKind::rwlock_wrlock, l, JOSTLE_CALLER),
           real::pthread_rwlock_timedwrlock(l, ts);
  if (!valid(ts)) return EINVAL;
  return model::rwlock_wrlock(*t->scheduler, *t, at(l), JOSTLE_CALLER,
                              deadline(CLOCK_REALTIME, ts));
}
JOSTLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t clock,
                                             const timespec* ts) noexcept {
  Thread* t = self();
  if (!t)
    return outside(EventKind::rwlock_wrlock, l, JOSTLE_CALLER),
           real::pthread_rwlock_clockwrlock(l, clock, ts);
  if (!valid(clock) || !valid(ts)) return EINVAL;
  return model::rwlock_wrlock(*t->scheduler, *t, at(l), JOSTLE_CALLER, deadline(clock, ts));
}
