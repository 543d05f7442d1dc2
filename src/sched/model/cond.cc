// Condition variables. A waiting thread is in the condition's queue; a signal picks one of the
// queue (a choice of the schedule), which then competes for the mutex like any locker.
// Signalling orders nothing by itself: only the mutex does.
#include <cerrno>

#include "sched/model/mutex.h"

namespace jostle::model {
namespace {

Object& object(Scheduler& s, Address a) {
  Object* o = s.objects().find(a, ObjectKind::cond);
  return o ? *o : s.objects().add(a, ObjectKind::cond);
}

// Woken, timed out, or awake for no reason: now the mutex is needed.
void compete(Scheduler& s, Thread& w) {
  Object& m = *w.reacquire;
  s.announce(w, EventKind::cond_reacquire, m.address, w.pending.pc);
  w.waiting_on = &m;
  w.deadline = 0;
  m.pending.add(w.id);
  if (m.owner == kNoThread || m.owner == w.id)
    s.enable(w);
  else
    s.disable(w, Wait::lock);
}

}  // namespace

int cond_wait(Scheduler& s, Thread& t, Address a, Address mutex, std::uint16_t type,
              std::uint64_t pc, std::uint64_t deadline) {
  Object& o = object(s, a);
  Object& m = mutex_object(s, mutex, type);
  s.announce(t, EventKind::cond_wait, a, pc);
  t.reacquire = &m;
  t.deadline = deadline;
  s.point(t);
  t.deadline = 0;
  if (cancelled(t)) {  // the caller acts on it, holding the mutex
    t.reacquire = nullptr;
    return EINTR;
  }
  if (m.owner != t.id) {
    t.reacquire = nullptr;
    if ((type & 3) == kErrorCheck || (type & kRobust)) {
      if (Event* e = s.noted(t)) e->flags |= kFailed;
      return EPERM;
    }
    misuse(s, t, a, "thread T%u waits on a condition without holding the mutex it passes", t.id);
  }
  // Of a recursive one that it has locked several times, it gives back one.
  if (m.count > 1) {
    --m.count;
  } else {
    mutex_give_up(m);
    mutex_give(s, t, m);
  }
  s.performed(t, &o);
  if (deadline && deadline <= s.now(t)) {
    t.timed_out = true;
    t.woken = t.spurious = false;
    compete(s, t);
    if (s.enabled(t))
      s.point(t);
    else
      s.block(t);
    t.waiting_on = nullptr;
  } else {
    s.wait_in(o, t, deadline, &compete);
  }
  m.pending.remove(t.id);
  if (m.unrecoverable) {
    t.reacquire = nullptr;
    if (Event* e = s.performed(t, &m)) e->flags |= kFailed;
    return ENOTRECOVERABLE;
  }
  if (m.owner == t.id)
    ++m.count;
  else
    mutex_take(s, t, m, pc);
  t.reacquire = nullptr;
  const bool late = t.timed_out && !t.woken;
  if (Event* e = s.performed(t, &m)) {
    if (late) e->flags |= kFailed | kTimedOut;
    if (t.spurious) e->flags |= kSpurious;
  }
  if (m.dead_owner) return EOWNERDEAD;
  return late ? ETIMEDOUT : 0;
}

int cond_signal(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::cond_signal, a, pc);
  s.point(t);
  const Thread* w = s.wake_one(t, o);
  if (Event* e = s.performed(t, &o)) e->other = w ? w->id : kNoThread;
  return 0;
}

int cond_broadcast(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::cond_broadcast, a, pc);
  s.point(t);
  const std::uint32_t n = o.waiters;
  while (o.waiters > 0) s.wake(o, s.thread(o.first_waiter));
  if (Event* e = s.performed(t, &o)) e->value = n;
  return 0;
}

}  // namespace jostle::model
