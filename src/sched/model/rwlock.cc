// Reader-writer locks, with glibc's preferences: by default a reader may enter while writers
// wait; with PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP it may not.
#include <cerrno>
#include <cstring>

#include "sched/model/model.h"

namespace jostle::model {
namespace {

Object& object(Scheduler& s, Address a) {
  Object* o = s.objects().find(a, ObjectKind::rwlock);
  return o ? *o : s.objects().add(a, ObjectKind::rwlock);
}

bool for_reading(EventKind k) {
  return k == EventKind::rwlock_rdlock || k == EventKind::rwlock_tryrdlock;
}

}  // namespace

bool rwlock_can(Scheduler& s, const Object& o, EventKind k) {
  if (o.owner != kNoThread) return false;
  if (!for_reading(k)) return o.count == 0;
  if (!o.type) return true;
  bool writer_waits = false;
  o.pending.each([&](ThreadId i) {
    const Thread& w = s.thread(i);
    writer_waits |= !for_reading(w.pending.kind) && !s.enabled(w);
  });
  return !writer_waits;
}

namespace {

void update(Scheduler& s, Object& o) {
  // Writers first: whether one waits decides about the readers.
  for (const bool reading : {false, true})
    refresh(s, o, [&](Thread& w) {
      return for_reading(w.pending.kind) == reading ? rwlock_can(s, o, w.pending.kind)
                                                    : s.enabled(w);
    });
}

std::uint16_t* again(Scheduler& s, Object& o) {
  constexpr std::size_t kSize = kMaxThreads * sizeof(std::uint16_t);
  if (!o.again)
    o.again = static_cast<std::uint16_t*>(std::memset(s.arena().allocate(kSize), 0, kSize));
  return o.again;
}

void take(Scheduler& s, Thread& t, Object& o, EventKind k, std::uint64_t pc) {
  s.acquire(t, o.released);
  if (for_reading(k)) {
    if (o.readers.has(t.id)) ++again(s, o)[t.id];
    o.readers.add(t.id);
    ++o.count;
  } else {
    s.acquire(t, o.reads);  // a writer comes after the readers, a reader only after writers
    o.owner = t.id;
  }
  o.acquired_pc = pc;
  update(s, o);
}

int trylock(Scheduler& s, Thread& t, Address a, EventKind k, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, k, a, pc);
  s.look(t);
  t.timed_out = false;
  s.may_give_up(o);
  if (!rwlock_can(s, o, k)) {
    if (Event* e = s.observed(t, &o, o.owner)) e->flags |= kFailed;
    return EBUSY;
  }
  take(s, t, o, k, pc);
  s.took(t, o, for_reading(k) ? EventKind::rwlock_rdlock : EventKind::rwlock_wrlock);
  return 0;
}

int lock(Scheduler& s, Thread& t, Address a, EventKind k, std::uint64_t pc,
         std::uint64_t deadline) {
  Object& o = object(s, a);
  const bool only_tries = is_over(s, t, deadline);
  s.announce(t, k, a, pc);
  if (o.owner == t.id) {
    s.point(t);
    if (Event* e = s.noted(t)) e->flags |= kFailed | kRelock;
    return EDEADLK;
  }
  if (only_tries) {
    const EventKind tries =
        for_reading(k) ? EventKind::rwlock_tryrdlock : EventKind::rwlock_trywrlock;
    return trylock(s, t, a, tries, pc) == EBUSY ? time_was_up(s) : 0;
  }
  if (!wait_for_lock(s, t, o, rwlock_can(s, o, k), deadline)) {
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed | kTimedOut;
    return ETIMEDOUT;
  }
  take(s, t, o, k, pc);
  s.took(t, o, for_reading(k) ? EventKind::rwlock_rdlock : EventKind::rwlock_wrlock);
  return 0;
}

}  // namespace

int rwlock_rdlock(Scheduler& s, Thread& t, Address a, bool prefers_writers, std::uint64_t pc,
                  std::uint64_t deadline) {
  object(s, a).type = prefers_writers;
  return lock(s, t, a, EventKind::rwlock_rdlock, pc, deadline);
}
int rwlock_wrlock(Scheduler& s, Thread& t, Address a, std::uint64_t pc, std::uint64_t deadline) {
  return lock(s, t, a, EventKind::rwlock_wrlock, pc, deadline);
}
int rwlock_tryrdlock(Scheduler& s, Thread& t, Address a, bool prefers_writers, std::uint64_t pc) {
  object(s, a).type = prefers_writers;
  return trylock(s, t, a, EventKind::rwlock_tryrdlock, pc);
}
int rwlock_trywrlock(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  return trylock(s, t, a, EventKind::rwlock_trywrlock, pc);
}

int rwlock_unlock(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::rwlock_unlock, a, pc);
  s.point(t);
  t.seen = o.owner == t.id;
  if (o.owner == t.id) {
    s.release(t, o.released);
    o.owner = kNoThread;
  } else if (o.readers.has(t.id)) {
    s.release_join(t, o.reads);
    --o.count;
    if (o.again && o.again[t.id] > 0)
      --o.again[t.id];
    else
      o.readers.remove(t.id);
  } else {
    misuse(s, t, a, "thread T%u unlocks a reader-writer lock that it does not hold", t.id);
  }
  update(s, o);
  s.gave(t, o, t.seen ? EventKind::rwlock_wrlock : EventKind::rwlock_rdlock);
  return 0;
}

}  // namespace jostle::model
