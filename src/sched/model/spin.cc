// Spin locks: a lock waits like a mutex's; nobody burns time.
#include <cerrno>

#include "sched/model/mutex.h"

namespace jostle::model {
namespace {

Object& object(Scheduler& s, Address a) {
  Object* o = s.objects().find(a, ObjectKind::spin);
  return o ? *o : s.objects().add(a, ObjectKind::spin);
}

}  // namespace

int spin_lock(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::spin_lock, a, pc);
  wait_for_lock(s, t, o, o.owner == kNoThread, 0);
  mutex_take(s, t, o, pc);
  s.took(t, o, EventKind::spin_lock);
  return 0;
}

int spin_trylock(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::spin_trylock, a, pc);
  s.look(t);
  s.may_give_up(o);
  if (o.owner != kNoThread) {
    if (Event* e = s.observed(t, &o, o.owner)) e->flags |= kFailed;
    return EBUSY;
  }
  mutex_take(s, t, o, pc);
  s.took(t, o, EventKind::spin_lock);
  return 0;
}

int spin_unlock(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::spin_unlock, a, pc);
  s.point(t);
  if (o.owner == kNoThread) misuse(s, t, a, "a spin lock that nobody holds is unlocked");
  if (o.owner != t.id)
    misuse(s, t, a, "thread T%u unlocks a spin lock that thread T%u holds", t.id, o.owner);
  mutex_give(s, t, o);
  s.gave(t, o, EventKind::spin_lock);
  return 0;
}

}  // namespace jostle::model
