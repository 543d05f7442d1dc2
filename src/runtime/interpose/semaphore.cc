#include "runtime/family.h"
#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

int wait(Thread& t, sem_t* s, std::uint64_t until, std::uint64_t pc) {
  cancellation_point(t);
  const int r = model::sem_wait(*t.scheduler, t, at(s), pc, until);
  cancellation_point(t);
  return with_errno(r);
}

}  // namespace

JOSTLE_EXPORT int sem_init(sem_t* s, int shared, unsigned value) noexcept {
  if (Thread* t = self())
    if (const int r = model::sem_init(*t->scheduler, *t, at(s), value, JOSTLE_CALLER))
      return with_errno(r);
  return real::ready(), real::sem_init(s, shared, value);
}
JOSTLE_EXPORT int sem_destroy(sem_t* s) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::sem_destroy(s);
  model::object_destroy(*t->scheduler, *t, at(s), ObjectKind::semaphore, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT int sem_wait(sem_t* s) {
  if (Thread* t = self()) return wait(*t, s, 0, JOSTLE_CALLER);
  return outside(EventKind::sem_wait, s, JOSTLE_CALLER), real::sem_wait(s);
}
JOSTLE_EXPORT int sem_timedwait(sem_t* s, const timespec* ts) {
  Thread* t = self();
  if (!t) return outside(EventKind::sem_wait, s, JOSTLE_CALLER), real::sem_timedwait(s, ts);
  if (!valid(ts)) return with_errno(EINVAL);
  return wait(*t, s, deadline(CLOCK_REALTIME, ts), JOSTLE_CALLER);
}
JOSTLE_EXPORT int sem_clockwait(sem_t* s, clockid_t clock, const timespec* ts) {
  Thread* t = self();
  if (!t) return outside(EventKind::sem_wait, s, JOSTLE_CALLER), real::sem_clockwait(s, clock, ts);
  if (!valid(clock) || !valid(ts)) return with_errno(EINVAL);
  return wait(*t, s, deadline(clock, ts), JOSTLE_CALLER);
}
JOSTLE_EXPORT int sem_trywait(sem_t* s) noexcept {
  if (Thread* t = self())
    return with_errno(model::sem_trywait(*t->scheduler, *t, at(s), JOSTLE_CALLER));
  return outside(EventKind::sem_trywait, s, JOSTLE_CALLER), real::sem_trywait(s);
}
JOSTLE_EXPORT int sem_post(sem_t* s) noexcept {
  if (Thread* t = self()) {
    const int r = model::sem_post(*t->scheduler, *t, at(s), JOSTLE_CALLER);
    family::wake_free_processes(s);
    return with_errno(r);
  }
  return outside(EventKind::sem_post, s, JOSTLE_CALLER), real::sem_post(s);
}
JOSTLE_EXPORT int sem_getvalue(sem_t* s, int* out) noexcept {
  if (Thread* t = self()) return model::sem_getvalue(*t->scheduler, *t, at(s), JOSTLE_CALLER, out);
  return real::ready(), real::sem_getvalue(s, out);
}
