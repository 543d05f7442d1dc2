// Threads: join, detach, cancel, yield, sleep.
#include <cerrno>

#include "sched/model/model.h"

namespace jostle::model {
namespace {

// Undefined: the C library may have given the identity to a thread that was created meanwhile.
void joined_twice(Scheduler& s, Thread& t, const Thread& target) {
  misuse(s, t, 0, "thread T%u is joined twice: its identity may belong to another thread by now",
         target.id);
}

}  // namespace

int thread_join(Scheduler& s, Thread& t, Thread& target, std::uint64_t pc, std::uint64_t deadline) {
  const bool only_tries = is_over(s, t, deadline);
  s.announce(t, EventKind::thread_join, 0, pc);
  t.wait_mask = target.id;
  if (&target == &t) {
    s.point(t);
    return EDEADLK;
  }
  if (target.joined) joined_twice(s, t, target);
  if (target.detached || (target.joiner != kNoThread && target.joiner != t.id)) {
    s.point(t);
    if (Event* e = s.performed(t, nullptr)) e->flags |= kFailed;
    return EINVAL;
  }
  if (only_tries) {
    const int r = thread_tryjoin(s, t, target, pc);
    return r == EBUSY ? time_was_up(s) : r;
  }
  t.timed_out = false;
  t.resume = nullptr;
  if (target.finished) {
    s.point(t);
  } else {
    target.joiner = t.id;
    s.disable(t, Wait::lock);
    if (deadline) s.arm(t, deadline);
    s.block(t);
    t.deadline = 0;
    target.joiner = kNoThread;
  }
  if (deadline && s.log()) s.log()->had_limit();
  if (!target.finished) {  // time ran out, or this thread was cancelled, or that one detached
    const bool detached = target.detached && !t.timed_out && !cancelled(t);
    if (Event* e = s.performed(t, nullptr)) e->flags |= detached ? kFailed : kFailed | kTimedOut;
    return t.timed_out ? ETIMEDOUT : detached ? EINVAL : EINTR;
  }
  target.joined = true;
  s.learn(t, target);
  if (Event* e = s.performed(t, nullptr)) e->other = target.id;
  return 0;
}

int thread_tryjoin(Scheduler& s, Thread& t, Thread& target, std::uint64_t pc) {
  s.announce(t, EventKind::thread_tryjoin, 0, pc);
  t.wait_mask = target.id;
  t.timed_out = false;
  s.look(t);
  if (target.joined) joined_twice(s, t, target);
  if (target.detached) {
    if (Event* e = s.performed(t, nullptr)) e->flags |= kFailed;
    return EINVAL;
  }
  if (!target.finished) {
    if (Event* e = s.observed(t, nullptr, target.id)) {
      e->other = target.id;
      e->flags |= kFailed;
    }
    return EBUSY;
  }
  target.joined = true;
  s.learn(t, target);
  if (Event* e = s.performed(t, nullptr)) e->other = target.id;
  return 0;
}

int thread_detach(Scheduler& s, Thread& t, Thread& target, std::uint64_t pc) {
  s.announce(t, EventKind::thread_detach, 0, pc);
  t.wait_mask = target.id;
  s.point(t);
  const bool too_late = target.detached || target.joined;
  if (Event* e = s.performed(t, nullptr)) {
    e->other = target.id;
    if (too_late) e->flags |= kFailed;
  }
  if (too_late) return EINVAL;
  target.detached = true;
  // Whoever is about to join it may come too late for that; or was there first, if it goes on only
  // when the thread has ended.
  if (target.joiner != kNoThread && !target.finished) {
    Thread& joiner = s.thread(target.joiner);
    if (joiner.wait != Wait::none) {
      s.disarm(joiner);
      s.enable(joiner);
    }
  }
  return 0;
}

bool cancelled(Thread& t) { return t.cancel_pending && !t.cancel_disabled && !t.exiting; }

bool waits_at_cancellation_point(const Thread& t) {
  switch (t.pending.kind) {
    case EventKind::cond_wait:
    case EventKind::sem_wait:
    case EventKind::thread_join:
    case EventKind::sleep:
    case EventKind::io_wait:
      return true;
    default:
      return false;
  }
}

int thread_cancel(Scheduler& s, Thread& t, Thread& target, std::uint64_t pc) {
  s.announce(t, EventKind::thread_cancel, 0, pc);
  s.point(t);
  if (target.joined) return ESRCH;
  target.cancel_pending = true;
  if (Event* e = s.performed(t, nullptr)) e->other = target.id;
  if (&target == &t || target.finished || target.cancel_disabled || s.enabled(target)) return 0;
  if (!waits_at_cancellation_point(target)) return 0;
  if (target.pending.kind == EventKind::cond_wait) {
    s.wake(*target.waiting_on, target);
  } else {
    s.disarm(target);
    s.enable(target);
  }
  return 0;
}

void yield(Scheduler& s, Thread& t, std::uint64_t pc) {
  s.announce(t, EventKind::yield, 0, pc);
  s.yield(t);
  s.point(t);
  s.noted(t);
}

int sleep(Scheduler& s, Thread& t, std::uint64_t deadline, std::uint64_t pc) {
  s.announce(t, EventKind::sleep, 0, pc);
  t.handled = false;
  if (deadline <= s.now(t)) {
    s.yield(t);
    s.point(t);
  } else {
    s.sleep_until(t, deadline);
  }
  s.noted(t);
  return (t.handled || cancelled(t)) && deadline > s.now(t) ? EINTR : 0;
}

void control_point(Scheduler& s, Thread& t, std::uint64_t pc, Address a, EventKind kind) {
  s.announce(t, kind, a, pc);
  s.point(t);
  s.noted(t);
}

}  // namespace jostle::model
