#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

// The clock that the condition was initialised with: a bit that glibc keeps beside its waiters.
clockid_t clock_of(const pthread_cond_t* c) {
  return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait(Thread& t, pthread_cond_t* c, pthread_mutex_t* m, std::uint64_t until, std::uint64_t pc) {
  cancellation_point(t);
  const int r = model::cond_wait(*t.scheduler, t, at(c), at(m), mutex_type(m), pc, until);
  cancellation_point(t);
  return r;
}

}  // namespace

JOSTLE_EXPORT int pthread_cond_init(pthread_cond_t* c, const pthread_condattr_t* attr) noexcept {
  if (Thread* t = self())
    model::object_init(*t->scheduler, *t, at(c), ObjectKind::cond, JOSTLE_CALLER);
  return real::ready(), real::pthread_cond_init(c, attr);
}
JOSTLE_EXPORT int pthread_cond_destroy(pthread_cond_t* c) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_cond_destroy(c);
  model::object_destroy(*t->scheduler, *t, at(c), ObjectKind::cond, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  if (Thread* t = self()) return wait(*t, c, m, 0, JOSTLE_CALLER);
  return outside(EventKind::cond_wait, c, JOSTLE_CALLER), real::pthread_cond_wait(c, m);
}
JOSTLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m,
                                         const timespec* ts) {
  Thread* t = self();
  if (!t)
    return outside(EventKind::cond_wait, c, JOSTLE_CALLER), real::pthread_cond_timedwait(c, m, ts);
  if (!valid(ts)) return EINVAL;
  return wait(*t, c, m, deadline(clock_of(c), ts), JOSTLE_CALLER);
}
JOSTLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock,
                                         const timespec* ts) {
  Thread* t = self();
  if (!t)
    return outside(EventKind::cond_wait, c, JOSTLE_CALLER),
           real::pthread_cond_clockwait(c, m, clock, ts);
  if (!valid(clock) || !valid(ts)) return EINVAL;
  return wait(*t, c, m, deadline(clock, ts), JOSTLE_CALLER);
}
JOSTLE_EXPORT int pthread_cond_signal(pthread_cond_t* c) noexcept {
  if (Thread* t = self()) return model::cond_signal(*t->scheduler, *t, at(c), JOSTLE_CALLER);
  return outside(EventKind::cond_signal, c, JOSTLE_CALLER), real::pthread_cond_signal(c);
}
JOSTLE_EXPORT int pthread_cond_broadcast(pthread_cond_t* c) noexcept {
  if (Thread* t = self()) return model::cond_broadcast(*t->scheduler, *t, at(c), JOSTLE_CALLER);
  return outside(EventKind::cond_broadcast, c, JOSTLE_CALLER), real::pthread_cond_broadcast(c);
}
