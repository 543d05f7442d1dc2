// <threads.h>: in glibc its types are those of pthreads under other names, and its functions do
// not go through the public pthread symbols.
#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

int result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}
pthread_mutex_t* as_mutex(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }
pthread_cond_t* as_cond(cnd_t* c) { return reinterpret_cast<pthread_cond_t*>(c); }

}  // namespace

JOSTLE_EXPORT int thrd_create(thrd_t* out, thrd_start_t start, void* argument) {
  Thread* t = self();
  if (!t) return real::ready(), real::thrd_create(out, start, argument);
  // The int that start returns arrives in the low half of the pointer that a thread returns.
  return g_engine->start_thread(*t,
                                reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(start)),
                                argument, 0, false, JOSTLE_CALLER, out)
             ? thrd_success
             : result(EAGAIN);
}
JOSTLE_EXPORT int thrd_join(thrd_t handle, int* out) {
  Thread* t = self();
  if (!t) return real::ready(), real::thrd_join(handle, out);
  Thread* target = g_engine->find_thread(handle);
  if (!target) return thrd_error;
  const int r = model::thread_join(*t->scheduler, *t, *target, JOSTLE_CALLER);
  if (r == 0 && out) *out = static_cast<int>(reinterpret_cast<std::uintptr_t>(target->result));
  return result(r);
}
JOSTLE_EXPORT int thrd_detach(thrd_t handle) {
  Thread* t = self();
  if (!t) return real::ready(), real::thrd_detach(handle);
  Thread* target = g_engine->find_thread(handle);
  return target ? result(model::thread_detach(*t->scheduler, *t, *target, JOSTLE_CALLER))
                : thrd_error;
}
JOSTLE_EXPORT void thrd_exit(int value) {
  if (Thread* t = self())
    exit_thread(*t, reinterpret_cast<void*>(static_cast<std::uintptr_t>(value)));
  real::ready();
  real::thrd_exit(value);
  __builtin_unreachable();
}
JOSTLE_EXPORT void thrd_yield() {
  Thread* t = self();
  if (!t) return real::ready(), real::thrd_yield();
  model::yield(*t->scheduler, *t, JOSTLE_CALLER);
}
JOSTLE_EXPORT int thrd_sleep(const timespec* ts, timespec* left) {
  Thread* t = self();
  if (!t) return real::ready(), real::thrd_sleep(ts, left);
  if (ts->tv_sec < 0 || !valid(ts)) return -2;
  const std::uint64_t until = t->scheduler->now(*t) +
                              static_cast<std::uint64_t>(ts->tv_sec) * 1'000'000'000 +
                              static_cast<std::uint64_t>(ts->tv_nsec);
  return sleep_until(*t, until, left, JOSTLE_CALLER) == 0 ? 0 : -1;
}

JOSTLE_EXPORT int mtx_init(mtx_t* m, int type) {
  if (Thread* t = self())
    model::object_init(*t->scheduler, *t, at(m), ObjectKind::mutex, JOSTLE_CALLER);
  return real::ready(), real::mtx_init(m, type);
}
JOSTLE_EXPORT void mtx_destroy(mtx_t* m) {
  if (Thread* t = self())
    model::object_destroy(*t->scheduler, *t, at(m), ObjectKind::mutex, JOSTLE_CALLER);
  real::ready();
  real::mtx_destroy(m);
}
JOSTLE_EXPORT int mtx_lock(mtx_t* m) {
  if (Thread* t = self())
    return result(
        model::mutex_lock(*t->scheduler, *t, at(m), mutex_type(as_mutex(m)), JOSTLE_CALLER));
  return real::ready(), real::mtx_lock(m);
}
JOSTLE_EXPORT int mtx_trylock(mtx_t* m) {
  if (Thread* t = self())
    return result(
        model::mutex_trylock(*t->scheduler, *t, at(m), mutex_type(as_mutex(m)), JOSTLE_CALLER));
  return real::ready(), real::mtx_trylock(m);
}
JOSTLE_EXPORT int mtx_timedlock(mtx_t* m, const timespec* ts) {
  Thread* t = self();
  if (!t) return real::ready(), real::mtx_timedlock(m, ts);
  return result(mutex_result(model::mutex_lock(*t->scheduler, *t, at(m), mutex_type(as_mutex(m)),
                                               JOSTLE_CALLER, mutex_deadline(CLOCK_REALTIME, ts)),
                             ts));
}
JOSTLE_EXPORT int mtx_unlock(mtx_t* m) {
  if (Thread* t = self())
    return result(
        model::mutex_unlock(*t->scheduler, *t, at(m), mutex_type(as_mutex(m)), JOSTLE_CALLER));
  return real::ready(), real::mtx_unlock(m);
}

JOSTLE_EXPORT int cnd_init(cnd_t* c) {
  if (Thread* t = self())
    model::object_init(*t->scheduler, *t, at(c), ObjectKind::cond, JOSTLE_CALLER);
  return real::ready(), real::cnd_init(c);
}
JOSTLE_EXPORT void cnd_destroy(cnd_t* c) {
  if (Thread* t = self())
    return model::object_destroy(*t->scheduler, *t, at(c), ObjectKind::cond, JOSTLE_CALLER);
  real::ready();
  real::cnd_destroy(c);
}
JOSTLE_EXPORT int cnd_wait(cnd_t* c, mtx_t* m) {
  Thread* t = self();
  if (!t) return real::ready(), real::cnd_wait(c, m);
  return result(model::cond_wait(*t->scheduler, *t, at(as_cond(c)), at(m), mutex_type(as_mutex(m)),
                                 JOSTLE_CALLER));
}
JOSTLE_EXPORT int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* ts) {
  Thread* t = self();
  if (!t) return real::ready(), real::cnd_timedwait(c, m, ts);
  if (!valid(ts)) return thrd_error;
  return result(model::cond_wait(*t->scheduler, *t, at(as_cond(c)), at(m), mutex_type(as_mutex(m)),
                                 JOSTLE_CALLER, deadline(CLOCK_REALTIME, ts)));
}
JOSTLE_EXPORT int cnd_signal(cnd_t* c) {
  if (Thread* t = self())
    return result(model::cond_signal(*t->scheduler, *t, at(c), JOSTLE_CALLER));
  return real::ready(), real::cnd_signal(c);
}
JOSTLE_EXPORT int cnd_broadcast(cnd_t* c) {
  if (Thread* t = self())
    return result(model::cond_broadcast(*t->scheduler, *t, at(c), JOSTLE_CALLER));
  return real::ready(), real::cnd_broadcast(c);
}
