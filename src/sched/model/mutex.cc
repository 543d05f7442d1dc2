// Mutexes. Enabled: a lock when nobody holds the mutex; everything else always.
#include "sched/model/mutex.h"

#include <cerrno>

namespace jostle::model {

void mutex_init(Scheduler& s, Thread&, Address a) {
  if (Object* o = s.objects().find(a, ObjectKind::mutex)) {
    o->kind = ObjectKind::none;  // forget it: the next use is the first
  }
}

namespace {

int robust_result(Object& o) {
  if (!o.dead_owner) return 0;
  return EOWNERDEAD;
}

}  // namespace

int mutex_lock(Scheduler& s, Thread& t, Address a, std::uint16_t type, std::uint64_t pc,
               std::uint64_t deadline) {
  Object& o = mutex_object(s, a, type);
  const bool only_tries = is_over(s, t, deadline);
  s.announce(t, EventKind::mutex_lock, a, pc);
  if (o.owner == t.id && (type & 3) == kRecursive) {
    s.point(t);
    if (o.count == ~0u) return EAGAIN;
    ++o.count;
    if (Event* e = s.performed(t, &o)) e->flags |= kRelock;
    return 0;
  }
  if (o.owner == t.id && (type & 3) == kErrorCheck) {
    s.point(t);
    if (Event* e = s.noted(t)) e->flags |= kFailed | kRelock;
    return EDEADLK;
  }
  if (o.unrecoverable) {
    s.point(t);
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed;
    return ENOTRECOVERABLE;
  }
  if (only_tries) {
    const int r = mutex_trylock(s, t, a, type, pc);
    return r == EBUSY ? ETIMEDOUT : r;
  }
  if (!wait_for_lock(s, t, o, o.owner == kNoThread, deadline)) {
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed | kTimedOut;
    return ETIMEDOUT;
  }
  if (o.unrecoverable) {
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed;
    return ENOTRECOVERABLE;
  }
  mutex_take(s, t, o, pc);
  s.took(t, o, EventKind::mutex_lock);
  return robust_result(o);
}

int mutex_trylock(Scheduler& s, Thread& t, Address a, std::uint16_t type, std::uint64_t pc) {
  Object& o = mutex_object(s, a, type);
  s.announce(t, EventKind::mutex_trylock, a, pc);
  s.look(t);
  s.may_give_up(o);
  if (o.owner == t.id && (type & 3) == kRecursive) {
    if (o.count == ~0u) return EAGAIN;
    ++o.count;
    if (Event* e = s.performed(t, &o)) e->flags |= kRelock;
    return 0;
  }
  if (o.owner != kNoThread || o.unrecoverable) {
    if (Event* e = s.observed(t, &o, o.owner)) {
      e->flags |= kFailed;
      e->other = o.owner;
    }
    return o.unrecoverable ? ENOTRECOVERABLE : EBUSY;
  }
  mutex_take(s, t, o, pc);
  s.took(t, o, EventKind::mutex_lock);
  return robust_result(o);
}

int mutex_unlock(Scheduler& s, Thread& t, Address a, std::uint16_t type, std::uint64_t pc) {
  Object& o = mutex_object(s, a, type);
  s.announce(t, EventKind::mutex_unlock, a, pc);
  s.point(t);
  if (JOSTLE_UNLIKELY(o.owner != t.id)) {
    if ((type & 3) == kErrorCheck || (type & 3) == kRecursive || (type & kRobust)) {
      if (Event* e = s.noted(t)) e->flags |= kFailed;
      return EPERM;
    }
    if (o.owner == kNoThread) misuse(s, t, a, "a mutex that nobody holds is unlocked");
    misuse(s, t, a, "thread T%u unlocks a mutex that thread T%u holds", t.id, o.owner);
  }
  if (o.count > 1) {
    --o.count;
    if (Event* e = s.performed(t, &o)) e->flags |= kRelock;
    return 0;
  }
  if (o.dead_owner) {  // never made consistent
    o.dead_owner = false;
    o.unrecoverable = true;
  }
  mutex_give(s, t, o);
  s.gave(t, o, EventKind::mutex_lock);
  return 0;
}

int mutex_consistent(Scheduler& s, Thread& t, Address a, std::uint16_t type) {
  Object& o = mutex_object(s, a, type);
  if (!(type & kRobust) || !o.dead_owner || o.owner != t.id) return EINVAL;
  o.dead_owner = false;
  return 0;
}

int mutex_destroy(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = mutex_object(s, a, kNormal);
  s.announce(t, EventKind::mutex_destroy, a, pc);
  s.point(t);
  if (o.owner != kNoThread)
    misuse(s, t, a, "a mutex is destroyed while thread T%u holds it", o.owner);
  if (const ThreadId locker = o.pending.first(); locker != kNoThread)
    misuse(s, t, a, "a mutex is destroyed while thread T%u is locking it", locker);
  s.performed(t, &o);
  o.kind = ObjectKind::none;
  return 0;
}

void mutex_owner_died(Scheduler& s, Thread& t) {
  if (!s.robust_mutexes) return;
  for (Object& o : s.objects()) {
    if (o.kind != ObjectKind::mutex || o.owner != t.id || !(o.type & kRobust)) continue;
    // Where the schedule is exact, a step of its own: what the thread did last may depend on what
    // it finds, this does not.
    if (s.exact()) {
      s.announce(t, EventKind::mutex_unlock, o.address, 0);
      s.point(t);
    }
    o.dead_owner = true;
    mutex_give(s, t, o);
    if (s.exact()) s.performed(t, &o);
  }
}

}  // namespace jostle::model
