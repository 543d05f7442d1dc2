// pthread_once, std::call_once and the guards of static locals. Whether it is done stays in the
// program's own flag: it lasts longer than an execution.
#include "sched/model/mutex.h"

namespace jostle::model {
namespace {

Object& object(Scheduler& s, Address a) {
  Object* o = s.objects().find(a, ObjectKind::once);
  return o ? *o : s.objects().add(a, ObjectKind::once);
}

}  // namespace

bool once_enter(Scheduler& s, Thread& t, Address a, bool (*is_done)(Address), std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::once_enter, a, pc);
  t.hoped = reinterpret_cast<std::uint64_t>(is_done);
  // Held by the thread that initialises; entered recursively it waits for itself.
  wait_for(s, t, o, o.owner == kNoThread, 0);
  s.acquire(t, o.released);
  if (is_done(a)) {
    s.performed(t, &o);
    return false;
  }
  mutex_take(s, t, o, pc);
  s.performed(t, &o);
  return true;
}

void once_leave(Scheduler& s, Thread& t, Address a, bool done, std::uint64_t pc,
                std::uint32_t written) {
  Object& o = object(s, a);
  s.announce(t, EventKind::once_done, a, pc, written);
  s.point(t);
  mutex_give(s, t, o);
  if (Event* e = s.performed(t, &o))
    if (!done) e->flags |= kFailed;
}

}  // namespace jostle::model
