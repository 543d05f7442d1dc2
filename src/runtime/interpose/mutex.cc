#include "runtime/interpose/interpose.h"

using namespace jostle;

JOSTLE_EXPORT int pthread_mutex_init(pthread_mutex_t* m, const pthread_mutexattr_t* attr) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_mutex_init(m, attr);
  model::object_init(*t->scheduler, *t, at(m), ObjectKind::mutex, JOSTLE_CALLER);
  InRuntime guard(*t);  // glibc asks the kernel whether it knows priority inheritance
  return real::pthread_mutex_init(m, attr);
}
JOSTLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) noexcept {
  if (Thread* t = self())
    model::object_destroy(*t->scheduler, *t, at(m), ObjectKind::mutex, JOSTLE_CALLER);
  return real::ready(), real::pthread_mutex_destroy(m);
}
JOSTLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  if (Thread* t = self())
    return model::mutex_lock(*t->scheduler, *t, at(m), mutex_type(m), JOSTLE_CALLER);
  return outside(EventKind::mutex_lock, m, JOSTLE_CALLER), real::pthread_mutex_lock(m);
}
JOSTLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  if (Thread* t = self())
    return model::mutex_trylock(*t->scheduler, *t, at(m), mutex_type(m), JOSTLE_CALLER);
  return outside(EventKind::mutex_trylock, m, JOSTLE_CALLER), real::pthread_mutex_trylock(m);
}
JOSTLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock,
                                          const timespec* ts) noexcept {
  Thread* t = self();
  if (!t)
    return outside(EventKind::mutex_lock, m, JOSTLE_CALLER),
           real::pthread_mutex_clocklock(m, clock, ts);
  if (!valid(clock)) return EINVAL;
  return mutex_result(model::mutex_lock(*t->scheduler, *t, at(m), mutex_type(m), JOSTLE_CALLER,
                                        mutex_deadline(clock, ts)),
                      ts);
}
JOSTLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* ts) noexcept {
  Thread* t = self();
  if (!t)
    return outside(EventKind::mutex_lock, m, JOSTLE_CALLER), real::pthread_mutex_timedlock(m, ts);
  return mutex_result(model::mutex_lock(*t->scheduler, *t, at(m), mutex_type(m), JOSTLE_CALLER,
                                        mutex_deadline(CLOCK_REALTIME, ts)),
                      ts);
}
JOSTLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  if (Thread* t = self())
    return model::mutex_unlock(*t->scheduler, *t, at(m), mutex_type(m), JOSTLE_CALLER);
  return outside(EventKind::mutex_unlock, m, JOSTLE_CALLER), real::pthread_mutex_unlock(m);
}
// It takes the mutex meanwhile.
JOSTLE_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t* m, int ceiling, int* old) noexcept {
  constexpr int kProtects = PTHREAD_PRIO_PROTECT << 5;  // where glibc keeps the protocol
  Thread* t = self();
  if (!t || !(m->__data.__kind & kProtects))
    return real::ready(), real::pthread_mutex_setprioceiling(m, ceiling, old);
  const int r = model::mutex_lock(*t->scheduler, *t, at(m), mutex_type(m), JOSTLE_CALLER);
  if (r != 0 && r != EOWNERDEAD) return r;
  const int changed = real::pthread_mutex_setprioceiling(m, ceiling, old);
  model::mutex_unlock(*t->scheduler, *t, at(m), mutex_type(m), JOSTLE_CALLER);
  return changed;
}
JOSTLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* m) noexcept {
  if (Thread* t = self()) return model::mutex_consistent(*t->scheduler, *t, at(m), mutex_type(m));
  return real::ready(), real::pthread_mutex_consistent(m);
}
