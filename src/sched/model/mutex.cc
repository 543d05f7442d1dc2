// Mutexes. Enabled: a lock when nobody holds the mutex; everything else always.
#include "sched/model/mutex.h"

#include <cerrno>
#include <cstring>

namespace jostle::model {

Object& add_mutex(Scheduler& s, Address a, std::uint16_t type) {
  Object& o = s.objects().add(a, ObjectKind::mutex);
  o.type = type;
  if (type & kRobust) s.robust_mutexes = true;
  // So glibc marks one that was destroyed; memory that is used for another one does not look so.
  constexpr std::size_t kWhere = 16;
  constexpr int kDestroyed = -1;
  int kind = 0;
  std::memcpy(&kind, reinterpret_cast<const void*>(a + kWhere), sizeof kind);
  o.ended = o.unrecoverable = kind == kDestroyed;
  return o;
}

namespace {

int unrecoverable(Scheduler& s, Thread& t, const Object& o) {
  if (o.ended) misuse(s, t, o.address, "a mutex is locked that was destroyed");
  return ENOTRECOVERABLE;
}

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
    return unrecoverable(s, t, o);
  }
  if (only_tries) {
    const int r = mutex_trylock(s, t, a, type, pc);
    return r == EBUSY ? time_was_up(s) : r;
  }
  if (!wait_for_lock(s, t, o, o.owner == kNoThread, deadline)) {
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed | kTimedOut;
    return ETIMEDOUT;
  }
  if (o.unrecoverable) {
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed;
    return unrecoverable(s, t, o);
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
    return o.unrecoverable ? unrecoverable(s, t, o) : EBUSY;
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
  mutex_give_up(o);
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

void mutex_owner_died(Scheduler& s, Thread& t) {
  if (!s.robust_mutexes) return;
  for (Object& o : s.objects()) {
    if (o.kind != ObjectKind::mutex || o.owner != t.id || !(o.type & kRobust)) continue;
    // A step of its own: others may come in between that and what the thread did last.
    s.announce(t, EventKind::mutex_unlock, o.address, 0);
    s.point(t);
    o.dead_owner = true;
    mutex_give(s, t, o);
    s.performed(t, &o);
  }
}

}  // namespace jostle::model
