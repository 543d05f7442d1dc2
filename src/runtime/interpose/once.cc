#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

constexpr int kOnceDone = 2;  // what glibc's own fast path looks for

bool once_is_done(Address a) { return *reinterpret_cast<int*>(a) == kOnceDone; }
bool guard_is_done(Address a) { return *reinterpret_cast<char*>(a) != 0; }

// Leaves the once in a state where the next caller tries again, should the function throw.
struct Running {
  Thread& t;
  Address control;
  std::uint64_t pc;
  bool done = false;
  ~Running() {
    if (!done) model::once_leave(*t.scheduler, t, control, false, pc);
  }
};

void run_once(Thread& t, int* control, void (*function)(), std::uint64_t pc) {
  if (!model::once_enter(*t.scheduler, t, at(control), &once_is_done, pc)) return;
  Running r{t, at(control), pc};
  function();
  r.done = true;
  *control = kOnceDone;
  model::once_leave(*t.scheduler, t, at(control), true, pc);
}

}  // namespace

JOSTLE_EXPORT int pthread_once(pthread_once_t* control, void (*function)()) {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_once(control, function);
  run_once(*t, control, function, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT void call_once(once_flag* flag, void (*function)()) {
  Thread* t = self();
  if (!t) return real::ready(), real::call_once(flag, function);
  run_once(*t, reinterpret_cast<int*>(flag), function, JOSTLE_CALLER);
}

// Guards of static locals. The compiled code reads the first byte itself, atomically, so the
// release is published on that byte too, and is a write to it.
JOSTLE_EXPORT int __cxa_guard_acquire(void* guard) {
  Thread* t = self();
  if (!t) return real::ready(), real::__cxa_guard_acquire(guard);
  return model::once_enter(*t->scheduler, *t, at(guard), &guard_is_done, JOSTLE_CALLER) ? 1 : 0;
}
JOSTLE_EXPORT void __cxa_guard_release(void* guard) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::__cxa_guard_release(guard);
  const std::uint64_t pc = JOSTLE_CALLER;
  Scheduler& s = *t->scheduler;
  model::once_leave(s, *t, at(guard), true, pc, 1);
  *static_cast<char*>(guard) = 1;
  Object* o = s.objects().find(at(guard), ObjectKind::atomic);
  s.release_join(*t, (o ? *o : s.objects().add(at(guard), ObjectKind::atomic)).released);
}
JOSTLE_EXPORT void __cxa_guard_abort(void* guard) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::__cxa_guard_abort(guard);
  model::once_leave(*t->scheduler, *t, at(guard), false, JOSTLE_CALLER);
}
