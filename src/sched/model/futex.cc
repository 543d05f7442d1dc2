// Futexes: what C++20 waits, latches and semaphores, and anything else without a model, block on.
#include <cerrno>

#include "sched/model/model.h"

namespace jostle::model {
namespace {

Object& object(Scheduler& s, Address a) {
  Object* o = s.objects().find(a, ObjectKind::futex);
  return o ? *o : s.objects().add(a, ObjectKind::futex);
}

}  // namespace

long futex_wait(Scheduler& s, Thread& t, Address a, std::uint32_t expected, std::uint32_t mask,
                std::uint64_t deadline, std::uint64_t pc) {
  Object& o = object(s, a);
  t.handled = false;
  s.announce(t, EventKind::futex_wait, a, pc, 4);
  t.hoped = expected;
  t.deadline = deadline;
  s.look(t);
  t.deadline = 0;
  const std::uint32_t seen = *reinterpret_cast<volatile std::uint32_t*>(a);
  t.seen = seen;
  if (deadline && s.log()) s.log()->had_limit();
  if (seen != expected) {
    if (Event* e = s.observed(t, &o, seen)) e->flags |= kFailed;
    return -EAGAIN;
  }
  if (deadline && deadline <= s.now(t)) {
    s.observed(t, &o, seen);
    return -ETIMEDOUT;
  }
  s.performed(t, &o);
  t.wait_mask = mask;
  s.announce(t, EventKind::futex_resume, a, pc, 4);
  s.wait_in(o, t, deadline);
  if (Event* e = s.performed(t, &o))
    if (t.timed_out) e->flags |= kFailed | kTimedOut;
  if (t.timed_out) return -ETIMEDOUT;
  if (t.woken || !t.handled) return 0;
  // As the kernel does it: the call begins again, unless it has a limit or the handler forbids it.
  if (deadline || !t.restarts) return -EINTR;
  return futex_wait(s, t, a, expected, mask, deadline, pc);
}

namespace {

// Part of a step that was announced and decided on already.
long wake_now(Scheduler& s, Thread& t, Object& o, std::uint32_t count, std::uint32_t mask) {
  long woken = 0;
  if (mask == ~0u) {
    while (woken < count && o.waiters > 0) {
      if (count >= o.waiters + static_cast<std::uint32_t>(woken))
        s.wake(o, s.thread(o.first_waiter));
      else
        s.wake_one(t, o);
      ++woken;
    }
  } else {
    for (ThreadId i = o.first_waiter; i != kNoThread && woken < count;) {
      Thread& w = s.thread(i);
      i = w.next_waiter;
      if (!(w.wait_mask & mask)) continue;
      s.wake(o, w);
      ++woken;
    }
  }
  if (Event* e = s.performed(t, &o)) e->value = static_cast<std::uint64_t>(woken);
  return woken;
}

// The same behind what it did to memory in one step.
long also_wake(Scheduler& s, Thread& t, Address a, std::uint32_t count, std::uint64_t pc) {
  if (s.log()) s.log()->merge = true;
  s.announce(t, EventKind::futex_wake, a, pc, 4);
  return wake_now(s, t, object(s, a), count, ~0u);
}

// Twelve bits with a sign.
std::int32_t signed12(std::uint32_t bits) { return static_cast<std::int32_t>(bits << 20) >> 20; }

bool compare(std::uint32_t how, std::int32_t a, std::int32_t b) {
  switch (how) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

std::uint32_t combine(std::uint32_t how, std::uint32_t old, std::uint32_t operand) {
  switch (how) {
    case 0:
      return operand;
    case 1:
      return old + operand;
    case 2:
      return old | operand;
    case 3:
      return old & ~operand;
    default:
      return old ^ operand;
  }
}

}  // namespace

long futex_wake(Scheduler& s, Thread& t, Address a, std::uint32_t count, std::uint32_t mask,
                std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::futex_wake, a, pc, 4);
  s.point(t);
  return wake_now(s, t, o, count, mask);
}

long futex_requeue(Scheduler& s, Thread& t, Address from, Address to, std::uint32_t wake,
                   std::uint32_t move, const std::uint32_t* expected, std::uint64_t pc) {
  long woken = 0;
  if (expected) {
    Object& word = atomic_before(s, t, EventKind::atomic_load, from, 4, __ATOMIC_SEQ_CST, pc);
    const std::uint32_t seen = *reinterpret_cast<volatile std::uint32_t*>(from);
    atomic_loaded(s, t, word, __ATOMIC_SEQ_CST, seen);
    if (seen != *expected) return -EAGAIN;
    woken = also_wake(s, t, from, wake, pc);
  } else {
    woken = futex_wake(s, t, from, wake, ~0u, pc);
  }
  Object& a = object(s, from);
  Object& b = object(s, to);
  long moved = 0;
  if (s.log()) s.log()->also(Touch::signal, to);
  while (moved < move && a.waiters > 0) {
    Thread& w = s.thread(a.first_waiter);
    s.dequeue(a, w);
    w.waiting_on = &b;
    w.pending.address = to;
    s.enqueue(b, w);
    ++moved;
  }
  return woken + moved;
}

long futex_wake_op(Scheduler& s, Thread& t, Address a, std::uint32_t count, Address second,
                   std::uint32_t count_of_second, std::uint32_t code, std::uint64_t pc) {
  const std::uint32_t how = code >> 28 & 7, comparison = code >> 24 & 15;
  if (how > 4 || comparison > 5) return -ENOSYS;
  auto operand = static_cast<std::uint32_t>(signed12(code >> 12 & 0xfff));
  if (code >> 31) operand = 1u << (operand & 31);
  Object& word = atomic_before(s, t, EventKind::atomic_rmw, second, 4, __ATOMIC_SEQ_CST, pc);
  auto& value = *reinterpret_cast<volatile std::uint32_t*>(second);
  const std::uint32_t old = value;
  value = combine(how, old, operand);
  atomic_updated(s, t, word, __ATOMIC_SEQ_CST, old, value);
  long woken = also_wake(s, t, a, count, pc);
  if (compare(comparison, static_cast<std::int32_t>(old), signed12(code & 0xfff)))
    woken += also_wake(s, t, second, count_of_second, pc);
  return woken;
}

}  // namespace jostle::model
