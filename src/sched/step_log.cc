#include "sched/step_log.h"

#include <climits>
#include <cstdio>
#include <cstring>

#include "base/rng.h"
#include "base/words.h"
#include "sched/model/model.h"
#include "sched/object.h"
#include "sched/scheduler.h"

namespace jostle {

namespace {

// What depends on everything that changes an object of that kind; null: its memory says it.
const Touch* looks_at(ObjectKind k) {
  static constexpr Touch kLock = Touch::look_lock, kRwlock = Touch::look_write,
                         kSemaphore = Touch::look_semaphore, kQueue = Touch::signal,
                         kBarrier = Touch::arrive;
  switch (k) {
    case ObjectKind::mutex:
    case ObjectKind::spin:
    case ObjectKind::once:
      return &kLock;
    case ObjectKind::rwlock:
      return &kRwlock;
    case ObjectKind::semaphore:
      return &kSemaphore;
    case ObjectKind::cond:
    case ObjectKind::futex:
      return &kQueue;
    case ObjectKind::barrier:
      return &kBarrier;
    default:
      return nullptr;
  }
}

// The beginning of an object: everything that is done to it comes before or after.
Touch renews(ObjectKind k) {
  switch (k) {
    case ObjectKind::rwlock:
      return Touch::write_release;
    case ObjectKind::semaphore:
      return Touch::take;
    case ObjectKind::cond:
      return Touch::signal;
    case ObjectKind::barrier:
      return Touch::arrive;
    default:
      return Touch::release;
  }
}

Touch lifetime_touch(const Op& op) {
  const auto kind = static_cast<ObjectKind>(op.order);
  return op.kind == EventKind::object_init ? renews(kind) : *looks_at(kind);
}

// Of as many posts as there are threads, one may be too many.
Touch post(std::uint64_t value) {
  return value < static_cast<std::uint64_t>(INT_MAX) - kMaxThreads ? Touch::post : Touch::take;
}

// What a parked thread's loop looks at; room for Thread::kReads.
std::uint32_t loop_touches(const Thread& t, Access* out) {
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < t.read_count && i < Thread::kReads; ++i) {
    const Thread::Read& r = t.reads[i];
    if (!t.in_loop(r)) continue;
    Access& a = out[n++];
    a = {r.address, 0, 0, r.size, Touch::read};
    switch (r.kind) {
      case EventKind::mutex_lock:
      case EventKind::spin_lock:
        a.touch = r.address == t.pending.address ? Touch::acquire : Touch::look_lock;
        break;
      case EventKind::mutex_trylock:
      case EventKind::spin_trylock:
        a.touch = Touch::look_lock;
        break;
      case EventKind::rwlock_rdlock:
        a.touch = r.address == t.pending.address ? Touch::read_acquire : Touch::look_read;
        break;
      case EventKind::rwlock_tryrdlock:
        a.touch = Touch::look_read;
        break;
      case EventKind::rwlock_wrlock:
        a.touch = r.address == t.pending.address ? Touch::write_acquire : Touch::look_write;
        break;
      case EventKind::rwlock_trywrlock:
        a.touch = Touch::look_write;
        break;
      case EventKind::sem_trywait:
      case EventKind::sem_getvalue:
        a.touch = Touch::look_semaphore;
        break;
      case EventKind::thread_tryjoin:
        a.touch = Touch::join;
        a.object = StepLog::thread_object(static_cast<ThreadId>(r.value));
        break;
      default:
        break;
    }
  }
  return n;
}

}  // namespace

void StepLog::add(Step& s, Touch touch, Address object, std::uint32_t size, std::uint64_t before,
                  std::uint64_t operand) {
  if (access_count == kAccesses) {
    truncated = true;
    return;
  }
  accesses[access_count++] = {object, before, operand, size, touch};
  ++s.accesses;
}

Step& StepLog::fresh(ThreadId t) {
  if (step_count == kSteps - 1) {
    truncated = true;
    --step_count;
  }
  Step& s = steps[step_count];
  clear_few<sizeof(Step)>(&s);
  s.access = access_count;
  s.enabled_by = enabled_by[t];
  enabled_by[t] = 0;
  s.thread = s.running = s.standard = t;
  s.kind = EventKind::point;
  s.timed = limit;
  limit = false;
  return s;
}

void StepLog::stands_on(const Thread& t, Address low, std::uint64_t size) {
  belongs(low, size, combine64(t.path, 0));
}

void StepLog::allocated(Thread& t, Address block, std::uint64_t size) {
  belongs(block, size, combine64(t.path, ++t.allocations));
}

void StepLog::decided(const View& view, ThreadId n, bool by_choice) {
  Step& s = fresh(n);
  open = true;
  merge = false;
  s.timed |= view.threads[n].deadline != 0;
  s.running = view.runner_yields() ? kNoThread : view.running;
  if (!by_choice) return;
  s.decision = view.decision + 1;
  s.standard = standard_choice(view);
  s.preempts = s.running != kNoThread && view.enabled().has(s.running) && n != s.running;
  const std::uint32_t count = view.enabled().count();
  if (list_count + count > kLists) {
    truncated = true;
    return;
  }
  s.candidates = list_count;
  s.candidate_count = static_cast<std::uint16_t>(count);
  ThreadId* to = lists + list_count;
  view.enabled().each([&](ThreadId t) { *to++ = t; });
  list_count += count;
}

void StepLog::chosen(ThreadId t, ChoiceKind kind, std::uint32_t options, std::uint32_t choice,
                     std::uint32_t decision, const ThreadId* waiters) {
  if (!open) {  // nobody else could go on
    fresh(t);
    open = true;
  }
  Step& s = steps[step_count];
  if (s.choice_made) return cannot_tell("wakes several of more waiting threads");
  s.choice_made = decision + 1;
  s.choice_kind = kind;
  s.choice = static_cast<std::uint16_t>(choice);
  s.options = static_cast<std::uint16_t>(options);
  any_choice |= kind == ChoiceKind::waiter;
  if (!waiters) return;
  if (list_count + options > kLists) {
    truncated = true;
    return;
  }
  s.waiters = list_count;
  for (std::uint32_t i = 0; i < options; ++i) lists[list_count++] = waiters[i];
}

void StepLog::is_weak(ThreadId t, bool matches) {
  if (!open) fresh(t), open = true;
  steps[step_count].weak = any_weak = true;
  steps[step_count].matches = matches;
}

void StepLog::fired(const Thread& t, Fired how) {
  if (!open) fresh(t.id), open = true;
  Step& s = steps[step_count];
  s.idle = how == Fired::idle;
  s.early = how == Fired::early;
  slept |= how == Fired::rested;
  ran_out |= how == Fired::idle || how == Fired::in_time;
  s.kind = EventKind::timeout;
  s.pc = t.pending.pc;
  add(s, how == Fired::rested ? Touch::rest : Touch::tick,
      how == Fired::spurious ? kSpurious : kClock);
  if (!t.waiting_on) return;
  const ObjectKind k = t.waiting_on->kind;
  if (k == ObjectKind::cond || k == ObjectKind::futex) add(s, Touch::leave, t.waiting_on->address);
}

void StepLog::performed(const Thread& t, const Object* o, Effect effect) {
  if (merge && step_count > 0 && !open) {
    merge = false;
    touches(steps[step_count - 1], t, o, effect);
    return;
  }
  merge = false;
  Step& s = open ? steps[step_count] : fresh(t.id);
  s.kind = t.pending.kind;
  s.pc = t.pending.pc;
  touches(s, t, o, effect);
  close();
}

void StepLog::finished(const Thread& t) {
  if (open) close();
  if (step_count > 0 && steps[step_count - 1].thread == t.id)
    add(steps[step_count - 1], Touch::end, thread_object(t.id));
}

void StepLog::cannot_tell(const char* what) {
  if (beyond[0] == 0) std::snprintf(beyond, sizeof beyond, "%s", what);
}

namespace {

// What it does is not the scheduler's business, but done it is.
bool counts_without_effect(EventKind k) {
  switch (k) {
    case EventKind::io_wait:
    case EventKind::stream_write:
    case EventKind::stream_read:
    case EventKind::stream_use:
    case EventKind::point:
    case EventKind::thread_exit:
      return true;
    default:
      return false;
  }
}

}  // namespace

void StepLog::touches(Step& s, const Thread& t, const Object* o, Effect effect) {
  const Op& op = t.pending;
  if (effect == Effect::nothing && !counts_without_effect(op.kind)) return;
  switch (op.kind) {
    case EventKind::read:
    case EventKind::atomic_load:
      add(s, Touch::read, op.address, op.size, t.seen);
      break;
    case EventKind::write:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
      add(s, Touch::write, op.address, op.size, t.seen);
      break;
    case EventKind::atomic_cas: {
      s.conditional = true;
      const bool wrote = t.seen == t.hoped && s.choice == 0;
      add(s, wrote ? Touch::write : Touch::read, op.address, op.size, t.seen, t.hoped);
      break;
    }
    case EventKind::mutex_lock:
    case EventKind::spin_lock:
    case EventKind::cond_reacquire:
      // A robust one may be beyond recovery.
      s.conditional = o->type & model::kRobust;
      // A thread may wait with a limit for what it holds itself.
      if (o->owner != t.id ||
          (t.timed_out && o->count == 1 && op.kind != EventKind::cond_reacquire))
        add(s, Touch::look_lock, op.address);
      else if (o->count == 1)
        add(s, Touch::acquire, op.address);
      break;
    case EventKind::mutex_trylock:
    case EventKind::spin_trylock:
      s.conditional = true;
      if (effect == Effect::looked)
        add(s, Touch::look_lock, op.address);
      else if (o->count == 1)
        add(s, Touch::acquire, op.address);
      break;
    case EventKind::mutex_unlock:
    case EventKind::spin_unlock:
      if (o->owner != t.id) add(s, Touch::release, op.address);
      break;
    case EventKind::once_enter:
      s.conditional = true;
      add(s, o->owner == t.id ? Touch::acquire : Touch::look_lock, op.address);
      break;
    case EventKind::once_done:
      add(s, Touch::release, op.address);
      if (op.size) add(s, Touch::write, op.address, op.size);
      break;
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_tryrdlock:
      if (o->type) cannot_tell("uses a reader-writer lock that prefers writers");
      s.conditional = op.kind == EventKind::rwlock_tryrdlock;
      add(s, effect == Effect::looked || t.timed_out ? Touch::look_read : Touch::read_acquire,
          op.address);
      break;
    case EventKind::rwlock_wrlock:
    case EventKind::rwlock_trywrlock:
      s.conditional = op.kind == EventKind::rwlock_trywrlock;
      add(s, o->owner == t.id ? Touch::write_acquire : Touch::look_write, op.address);
      break;
    case EventKind::rwlock_unlock:
      // seen: what it was held for
      add(s, t.seen ? Touch::write_release : Touch::read_release, op.address);
      break;
    case EventKind::sem_wait:
    case EventKind::sem_trywait:
      s.conditional = op.kind == EventKind::sem_trywait;
      add(s, effect == Effect::looked || t.timed_out ? Touch::look_semaphore : Touch::take,
          op.address, 1, t.seen);
      break;
    case EventKind::sem_post:
      add(s, post(t.seen), op.address, 1, t.seen);
      break;
    case EventKind::sem_getvalue:
      add(s, Touch::look_semaphore, op.address, 1, t.seen);
      break;
    case EventKind::cond_wait:
      add(s, Touch::wait, op.address);
      if (t.reacquire->owner != t.id) add(s, Touch::release, t.reacquire->address);
      break;
    case EventKind::cond_signal:
    case EventKind::cond_broadcast:
    case EventKind::futex_wake:
      add(s, Touch::signal, op.address);
      break;
    case EventKind::futex_wait:
      s.conditional = true;
      add(s, Touch::read, op.address, 4, t.seen, t.hoped);
      if (effect == Effect::changed) add(s, Touch::wait, op.address);
      break;
    case EventKind::barrier_arrive:
      add(s, Touch::arrive, op.address);
      break;
    case EventKind::thread_detach:
      add(s, Touch::detach, thread_object(static_cast<ThreadId>(t.wait_mask)));
      break;
    case EventKind::thread_join:
    case EventKind::thread_tryjoin:
      s.conditional = op.kind == EventKind::thread_tryjoin;
      add(s, Touch::join, thread_object(static_cast<ThreadId>(t.wait_mask)));
      break;
    case EventKind::object_init:
    case EventKind::object_destroy:
      add(s, lifetime_touch(op), op.address, 1, t.seen);
      break;
    case EventKind::free:
      add(s, Touch::write, op.address, op.size);
      for (const Object& object : t.scheduler->objects())
        if (object.address >= op.address && object.address < op.address + op.size)
          if (const Touch* touch = looks_at(object.kind)) add(s, *touch, object.address);
      break;
    case EventKind::point:
    case EventKind::stream_write:
    case EventKind::stream_read:
    case EventKind::stream_use:
      if (op.address) add(s, Touch::write, op.address);
      break;
    case EventKind::thread_exit:
      if (op.address) add(s, Touch::read, op.address);
      break;
    case EventKind::thread_cancel:
      cannot_tell("cancels threads");
      break;
    case EventKind::thread_kill:
      cannot_tell("sends signals to its threads");
      break;
    case EventKind::io_wait:
      cannot_tell("waits for input or output");
      break;
    // Nothing that others could tell. (A new kind has to say what it does, or that it is one of
    // these.)
    case EventKind::thread_start:
    case EventKind::thread_create:
    case EventKind::process_fork:
    case EventKind::signal_handler:
    case EventKind::cancelled:
    case EventKind::barrier_leave:
    case EventKind::futex_resume:
    case EventKind::yield:
    case EventKind::sleep:
    case EventKind::timeout:
    case EventKind::fence:
    case EventKind::alloc:
    case EventKind::function_enter:
    case EventKind::function_return:
    case EventKind::control:
      break;
  }
  if (!s.awaited) return;
  // Any of what the loop looks at could have ended the wait.
  Access looked_at[Thread::kReads];
  const std::uint32_t n = loop_touches(t, looked_at);
  for (std::uint32_t i = 0; i < n; ++i)
    if (looked_at[i].object != op.address)
      add(s, looked_at[i].touch, looked_at[i].object, looked_at[i].size);
}

void StepLog::left_over(const Thread& t, bool can_go_on) {
  Step& s = pending[pending_count];
  s = {};
  s.thread = t.id;
  s.pc = t.pending.pc;
  s.kind = t.pending.kind;
  s.enabled_by = enabled_by[t.id];
  s.access = access_count;
  s.running = can_go_on ? t.id : kNoThread;
  ++pending_count;
  if (t.wait == Wait::parked) return;
  switch (t.pending.kind) {
    case EventKind::mutex_lock:
    case EventKind::spin_lock:
    case EventKind::cond_reacquire:
    case EventKind::once_enter:
      add(s, Touch::acquire, t.pending.address);
      break;
    case EventKind::rwlock_rdlock:
      add(s, Touch::read_acquire, t.pending.address);
      break;
    case EventKind::rwlock_wrlock:
      add(s, Touch::write_acquire, t.pending.address);
      break;
    case EventKind::sem_wait:
      add(s, Touch::take, t.pending.address);
      break;
    default:
      break;
  }
}

std::uint32_t foresee(ObjectTable& objects, const Thread& t, Access* out, std::uint32_t room) {
  std::uint32_t n = 0;
  const auto add = [&](Touch touch, Address object, std::uint32_t size = 1) {
    if (n < room) out[n++] = {object, 0, 0, size, touch};
  };
  const Op& op = t.pending;
  const auto value = [&] {
    std::uint64_t v = 0;
    std::memcpy(&v, reinterpret_cast<const void*>(op.address), op.size <= 8 ? op.size : 8);
    return v;
  };
  if (t.wait == Wait::parked) {
    n = loop_touches(t, out);
    return n;
  }
  if (t.wait == Wait::sleeping) {
    add(Touch::rest, StepLog::kClock);
    return n;
  }
  if (t.wait != Wait::none) {  // its time runs out, or it wakes for no reason
    add(Touch::tick, StepLog::kClock);
    add(Touch::tick, StepLog::kSpurious);
    if (t.waiting_on) {
      const ObjectKind k = t.waiting_on->kind;
      if (k == ObjectKind::cond || k == ObjectKind::futex) add(Touch::leave, t.waiting_on->address);
      if (k == ObjectKind::mutex) add(Touch::look_lock, t.waiting_on->address);
      if (k == ObjectKind::rwlock)
        add(op.kind == EventKind::rwlock_rdlock ? Touch::look_read : Touch::look_write,
            t.waiting_on->address);
      if (k == ObjectKind::semaphore) add(Touch::look_semaphore, t.waiting_on->address);
    }
    if (t.reacquire) add(Touch::acquire, t.reacquire->address);
    return n;
  }
  switch (op.kind) {
    case EventKind::read:
    case EventKind::atomic_load:
      add(Touch::read, op.address, op.size);
      break;
    case EventKind::write:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
      add(Touch::write, op.address, op.size);
      break;
    case EventKind::atomic_cas:
      add(value() == t.hoped ? Touch::write : Touch::read, op.address, op.size);
      break;
    case EventKind::mutex_lock:
    case EventKind::spin_lock:
    case EventKind::cond_reacquire:
      add(Touch::acquire, op.address);
      break;
    case EventKind::mutex_trylock:
    case EventKind::spin_trylock: {
      const Object* o = objects.find(
          op.address, op.kind == EventKind::mutex_trylock ? ObjectKind::mutex : ObjectKind::spin);
      if (!o || o->owner == kNoThread)
        add(Touch::acquire, op.address);
      else if (o->owner != t.id)
        add(Touch::look_lock, op.address);
      break;
    }
    case EventKind::mutex_unlock:
    case EventKind::spin_unlock: {
      const Object* o = objects.find(
          op.address, op.kind == EventKind::mutex_unlock ? ObjectKind::mutex : ObjectKind::spin);
      if (!o || o->count <= 1) add(Touch::release, op.address);
      break;
    }
    case EventKind::once_enter:
      add(reinterpret_cast<bool (*)(Address)>(t.hoped)(op.address) ? Touch::look_lock
                                                                   : Touch::acquire,
          op.address);
      break;
    case EventKind::once_done:
      add(Touch::release, op.address);
      if (op.size) add(Touch::write, op.address, op.size);
      break;
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_tryrdlock:
    case EventKind::rwlock_wrlock:
    case EventKind::rwlock_trywrlock: {
      const Object* o = objects.find(op.address, ObjectKind::rwlock);
      const bool reads =
          op.kind == EventKind::rwlock_rdlock || op.kind == EventKind::rwlock_tryrdlock;
      const bool can = !o || (o->owner == kNoThread && (reads || o->count == 0));
      add(reads ? can ? Touch::read_acquire : Touch::look_read
          : can ? Touch::write_acquire
                : Touch::look_write,
          op.address);
      break;
    }
    case EventKind::rwlock_unlock: {
      const Object* o = objects.find(op.address, ObjectKind::rwlock);
      add(o && o->owner == t.id ? Touch::write_release : Touch::read_release, op.address);
      break;
    }
    case EventKind::sem_wait:
    case EventKind::sem_trywait:
      add(*reinterpret_cast<const std::uint32_t*>(op.address) ? Touch::take : Touch::look_semaphore,
          op.address);
      break;
    case EventKind::sem_post:
      add(post(*reinterpret_cast<const std::uint32_t*>(op.address)), op.address);
      break;
    case EventKind::sem_getvalue:
      add(Touch::look_semaphore, op.address);
      break;
    case EventKind::cond_wait:
      add(Touch::wait, op.address);
      if (t.reacquire && t.reacquire->count == 1) add(Touch::release, t.reacquire->address);
      break;
    case EventKind::cond_signal:
    case EventKind::cond_broadcast:
    case EventKind::futex_wake:
      add(Touch::signal, op.address);
      break;
    case EventKind::futex_wait:
      add(Touch::read, op.address, 4);
      if (value() == t.hoped) add(Touch::wait, op.address);
      break;
    case EventKind::barrier_arrive:
      add(Touch::arrive, op.address);
      break;
    case EventKind::thread_detach:
      add(Touch::detach, StepLog::thread_object(static_cast<ThreadId>(t.wait_mask)));
      break;
    case EventKind::thread_join:
    case EventKind::thread_tryjoin:
      add(Touch::join, StepLog::thread_object(static_cast<ThreadId>(t.wait_mask)));
      break;
    case EventKind::object_init:
    case EventKind::object_destroy:
      add(lifetime_touch(op), op.address);
      break;
    case EventKind::free:
      add(Touch::write, op.address, op.size);
      for (const Object& object : objects)
        if (object.address >= op.address && object.address < op.address + op.size)
          if (const Touch* touch = looks_at(object.kind)) add(*touch, object.address);
      break;
    case EventKind::point:
    case EventKind::stream_write:
    case EventKind::stream_read:
    case EventKind::stream_use:
      if (op.address) add(Touch::write, op.address);
      break;
    case EventKind::thread_exit:
      if (op.address) add(Touch::read, op.address);
      break;
    default:
      break;
  }
  return n;
}

}  // namespace jostle
