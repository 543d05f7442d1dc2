// An execution that is made by several processes, one at a time: see runtime/family.h.
#include <algorithm>
#include <cstring>

#include "sched/scheduler.h"

namespace jostle {

Scheduler::Common Scheduler::common() const {
  std::uint64_t ahead = outside_ahead_;
  for (std::uint32_t i = 0; i < count_; ++i) ahead = std::max(ahead, threads_[i].ahead);
  return {
      steps_,    count_, decision_, outcome_.switches, outcome_.preemptions, timeouts_, spurious_,
      weak_cas_, now_,   ahead,     signature_};
}

void Scheduler::adopt(const Common& c) {
  steps_ = c.steps;
  decision_ = c.decision;
  outcome_.switches = c.switches;
  outcome_.preemptions = c.preemptions;
  timeouts_ = c.timeouts;
  spurious_ = c.spurious;
  weak_cas_ = c.weak_cas;
  now_ = c.now;
  for (std::uint32_t i = 0; i < count_; ++i)
    threads_[i].ahead = std::max(threads_[i].ahead, c.ahead);
  signature_ = c.signature;
  while (count_ < c.count) {
    const auto id = static_cast<ThreadId>(count_++);
    Thread& t = threads_[id];
    static_cast<ThreadState&>(t) = {};
    t.parent = t.next_waiter = t.joiner = kNoThread;
    t.scheduler = this;
    t.id = id;
    t.finished = t.elsewhere = true;
    for (std::uint32_t i = 0; i <= id; ++i) threads_[i].clock[id] = t.clock[i] = base_;
    strategy_->created(id, kNoThread);
  }
  view_.count = count_;
}

bool Scheduler::describe(const Object& o, SharedObject& out) const {
  std::memset(static_cast<void*>(&out), 0, sizeof out);  // to be compared as bytes
  switch (o.kind) {
    case ObjectKind::none:
    case ObjectKind::atomic:
    case ObjectKind::once:
    case ObjectKind::semaphore:  // its value is in memory
      return false;
    default:
      break;
  }
  out.address = o.address;
  out.kind = o.kind;
  out.dead_owner = o.dead_owner;
  out.unrecoverable = o.unrecoverable;
  out.owner = o.owner;
  out.type = o.type;
  out.count = o.count;
  out.limit = o.limit;
  out.round = o.round;
  out.acquired_pc = o.acquired_pc;
  if (o.waiters > SharedObject::kThreads || o.readers.count() > SharedObject::kThreads)
    return false;
  for (ThreadId w = o.first_waiter; w != kNoThread; w = threads_[w].next_waiter)
    out.waiter[out.waiters++] = w;
  o.readers.each([&](ThreadId t) { out.reader[out.readers++] = t; });
  return true;
}

void Scheduler::adopt(const SharedObject& from) {
  Object* known = objects_.find(from.address, from.kind);
  Object& o = known ? *known : objects_.add(from.address, from.kind);
  o.dead_owner = from.dead_owner;
  o.unrecoverable = from.unrecoverable;
  o.owner = from.owner;
  o.type = from.type;
  o.count = from.count;
  o.limit = from.limit;
  o.round = from.round;
  o.acquired_pc = from.acquired_pc;
  o.first_waiter = o.last_waiter = kNoThread;
  o.waiters = 0;
  for (std::uint32_t i = 0; i < from.waiters; ++i) enqueue(o, threads_[from.waiter[i]]);
  o.readers.clear();
  for (std::uint32_t i = 0; i < from.readers; ++i) o.readers.add(from.reader[i]);
}

void Scheduler::wake_here(Thread& t) {
  if (t.woken || !t.waiting_on) return;
  t.woken = true;
  disarm(t);
  t.resume(*this, t);
}

void* Scheduler::share() {
  // What the other processes do is not part of a state that could be compared.
  stop_looking();
  if (log_) log_->cannot_tell("starts processes");
  return strategy_->share();
}

void Scheduler::leave_to_another(Thread& first) {
  first.finished = first.elsewhere = true;
  --live_;
}

void Scheduler::go_on_as(Thread& first, const Thread& t, std::uint32_t process) {
  const ThreadState own = first;
  static_cast<ThreadState&>(first) = t;
  first.epoch = own.epoch;
  first.id = own.id;
  first.parent = own.parent;
  first.ordinal = own.ordinal;
  first.path = own.path;
  first.children = 0;
  first.joiner = first.next_waiter = kNoThread;
  first.interrupted = false;
  first.last_write_event = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Thread& gone = threads_[i];
    // Whatever anybody did before the fork is what this process started with.
    first.clock[i] = gone.clock[i];
    if (&gone == &first) continue;
    gone.finished = gone.elsewhere = true;
    gone.wait = Wait::none;
  }
  // Locks that others hold stay locked, as they do in a copy of the memory that they lie in.
  for (Object& o : objects_) {
    if (o.owner == t.id) o.owner = first.id;
    if (o.readers.has(t.id)) {
      o.readers.remove(t.id);
      o.readers.add(first.id);
    }
    o.pending.clear();
    o.first_waiter = o.last_waiter = kNoThread;
    o.waiters = 0;
  }
  enabled_.clear();
  enabled_.add(first.id);
  live_ = 1;
  helpers_ = 0;
  timers_ = parked_ = 0;
  view_.running = first.id;
  view_.yielding = kNoThread;
  log_ = put_away_ = nullptr;
  accesses_ = nullptr;
  settle();
  strategy_->forked(process);
}

Thread& Scheduler::come_as(const Common& c, ThreadId id, ThreadId parent, std::uint64_t path) {
  stop_looking();
  adopt(c);
  Thread& first = threads_[id];
  first.parent = parent;
  first.path = path;
  first.epoch = first.clock[id] = (base_ + kTick) | id;
  return first;
}

void Scheduler::stand_for(Thread& first, bool can_go_on) {
  if (can_go_on)
    enabled_.add(first.id);
  else
    enabled_.remove(first.id);
}

bool Scheduler::anybody_here() const {
  bool any = timers_ > 0 && threads_[earliest()].wait == Wait::sleeping;
  enabled_.each([&](ThreadId t) { any |= !threads_[t].elsewhere; });
  return any;
}

std::uint64_t Scheduler::earliest_deadline() const {
  return timers_ > 0 ? threads_[earliest()].deadline : 0;
}

Thread& Scheduler::take_up(Thread& last) {
  view_.running = last.id;
  if (enabled_.has(last.id)) return last;
  // One of its own, if any can go on: under strict priorities, two processes could hand the turn to
  // each other for ever.
  const ThreadSet all = enabled_;
  const bool own = anybody_here();
  if (own)
    all.each([&](ThreadId t) {
      if (threads_[t].elsewhere) enabled_.remove(t);
    });
  const ThreadId n = next();
  if (own)
    all.each([&](ThreadId t) {
      if (threads_[t].elsewhere) enabled_.add(t);
    });
  ++outcome_.switches;
  view_.running = n;
  return threads_[n];
}

}  // namespace jostle
