// Threads that are interrupted by handlers of signals. Whatever such a thread waits for, it leaves
// that wait and can go on; when its handlers have run, it goes back to wait, or does what it was
// about to do. What happens meanwhile is not lost on it: objects are looked at again. Only a
// condition forgets whom it has woken, so that the thread stays in its queue.
#include "sched/model/model.h"

namespace jostle::model {
namespace {

bool waits_on_condition(const Doing& d) {
  return d.wait != Wait::none && d.pending.kind == EventKind::cond_wait && d.waiting_on;
}

void leave(Scheduler& s, Thread& t) {
  s.disarm(t);
  if (t.pending.kind == EventKind::thread_join) {
    Thread& target = s.thread(static_cast<ThreadId>(t.wait_mask));
    if (target.joiner == t.id) target.joiner = kNoThread;
  }
  Object* o = t.waiting_on;
  if (!o) return;
  o->pending.remove(t.id);
  if (waits_on_condition(t))
    t.still_queued_in = o;
  else
    s.dequeue(*o, t);
  t.waiting_on = nullptr;
}

void wait_or_point(Scheduler& s, Thread& t, bool can, std::uint64_t deadline) {
  if (can) return s.point(t);
  s.disable(t, Wait::lock);
  if (deadline) s.arm(t, deadline);
  s.block(t);
}

void back_to_condition(Scheduler& s, Thread& t, Object& o, std::uint64_t deadline) {
  if (t.still_queued_in == &o && !cancelled(t)) {
    t.waiting_on = &o;
    s.disable(t, Wait::untimed);
    if (deadline) s.arm(t, deadline);
    t.still_queued_in = nullptr;
    return s.block(t);
  }
  if (t.still_queued_in == &o) s.dequeue(o, t);
  t.still_queued_in = nullptr;
  t.woken = true;
  t.resume(s, t);
  if (s.enabled(t))
    s.point(t);
  else
    s.block(t);
}

}  // namespace

bool can_take(Scheduler& s, const Object& o, EventKind kind) {
  if (o.kind == ObjectKind::semaphore) return sem_can(o);
  if (o.kind == ObjectKind::rwlock) return rwlock_can(s, o, kind);
  return o.owner == kNoThread;
}

void interrupt(Scheduler& s, Thread& t) {
  if (t.interrupted || t.finished) return;
  t.interrupted = true;
  if (t.pending.kind == EventKind::thread_start) return;  // when it starts
  if (t.wait == Wait::parked) {
    s.unpark(t);
    t.deadline = 0;
  }
  t.kept = t;
  leave(s, t);
  s.enable(t);
  s.announce(t, EventKind::signal_handler, 0, t.kept.pending.pc);
}

Doing interruption(Scheduler& s, Thread& t) {
  const Doing d = t.kept;
  s.noted(t);
  return d;
}

void go_on(Scheduler& s, Thread& t, const Doing& d, bool restarts) {
  static_cast<Doing&>(t) = d;
  t.wait = Wait::none;
  t.pending.mark = GateMark::fresh;
  t.waiting_on = nullptr;
  t.handled = true;
  t.restarts = restarts;
  const bool waits = d.wait != Wait::none;
  const std::uint64_t deadline = d.wait == Wait::timed ? d.deadline : 0;
  switch (d.pending.kind) {
    case EventKind::sleep:
    case EventKind::io_wait:
    case EventKind::futex_resume:
    case EventKind::barrier_leave:
      if (waits) return;  // whoever called that decides
      break;
    case EventKind::cond_wait:
      if (waits_on_condition(d)) return back_to_condition(s, t, *d.waiting_on, deadline);
      break;
    case EventKind::thread_join: {
      Thread& target = s.thread(static_cast<ThreadId>(d.wait_mask));
      if (!waits || cancelled(t)) break;
      if (!target.finished) target.joiner = t.id;
      return wait_or_point(s, t, target.finished, deadline);
    }
    case EventKind::sem_wait:
      if (waits && (!restarts || cancelled(t))) return;
      break;
    default:
      break;
  }
  Object* o = d.waiting_on;
  if (!o) return s.point(t);
  o->pending.add(t.id);
  t.waiting_on = o;
  wait_or_point(s, t, can_take(s, *o, d.pending.kind), d.deadline);
  o->pending.remove(t.id);
  t.waiting_on = nullptr;
}

}  // namespace jostle::model
