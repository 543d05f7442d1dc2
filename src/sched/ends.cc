// How executions end: well, or with a verdict.
#include <bit>
#include <cstdio>

#include "sched/scheduler.h"

namespace jostle {

void Scheduler::close_log() {
  if (!log_) return;
  for (std::uint32_t i = 0; i < count_; ++i)
    if (!threads_[i].finished && (threads_[i].id != view_.running || !enabled_.has(view_.running)))
      log_->left_over(threads_[i], enabled_.has(threads_[i].id));
  log_->ended_by = view_.running;
  log_->over = true;
}

void Scheduler::leave(Thread& t) {
  close_log();
  outcome_.steps = steps_;
  outcome_.decisions = decision_;
  outcome_.threads = count_;
  outcome_.signature = signature_;
  if (recorder_) {
    recorder_->outcome() = outcome_;
    recorder_->ended() = true;
  }
  // `t` is whom the verdict is about; who runs is who leaves.
  (void)t;
  backend_->leave(threads_[view_.running]);
  __builtin_unreachable();
}

void Scheduler::fail(Thread& t, const Problem& p) {
  if (&p != &outcome_.failure) outcome_.failure = p;
  leave(t);
}

// To end the program is a step that nobody else sees, but that keeps them from all of theirs. A
// search for every schedule therefore lets the others go on for as long as they can: an execution
// that ends earlier shows nothing that this one does not. Nobody waits for time to pass meanwhile.
void Scheduler::before_the_end(Thread& t, std::uint64_t pc) {
  if (live() == 1 || leaving_ != kNoThread) return;
  leaving_ = t.id;
  announce(t, EventKind::point, 0, pc);
  if (!exact()) return point(t);
  if (most_steps_ - steps_ > kLingering) most_steps_ = steps_ + kLingering;
  disable(t, Wait::untimed);
  block(t);
}

// Whoever ends the program has let others go first, and nobody can go on any more.
bool Scheduler::nobody_but_leaver() {
  if (!enabled_.empty()) return false;
  for (std::uint32_t i = 0; i < count_ && parked_ > 0; ++i)
    if (threads_[i].wait == Wait::parked && changed(threads_[i])) return false;
  return true;
}

void Scheduler::finish(Thread& t) {
  t.finished = true;
  ++stamp_;
  if (log_) log_->finished(t);
  enabled_.remove(t.id);
  --live_;
  if (t.joiner != kNoThread && threads_[t.joiner].wait != Wait::none) {
    disarm(threads_[t.joiner]);
    enable(threads_[t.joiner]);
  }
  if (live() == 0) leave(t);
  if (t.id == 0 && !settings_.whole_program) {
    body_over_ = true;
    settle();
    for (std::uint32_t i = 1; i < count_; ++i) {
      Thread& o = threads_[i];
      if (o.finished) continue;
      // A thread that has not begun, or that waits, is certainly not on its way out.
      if (o.pending.kind == EventKind::thread_start || !enabled_.has(o.id)) body_ended(o);
    }
  }
  const ThreadId n = next();
  ++outcome_.switches;
  view_.running = n;
  backend_->switch_to(t, threads_[n]);
  __builtin_unreachable();
}

// The body has returned and thread t still does something that others could notice. Dropping
// references and unlocking on the way out is not reported.
void Scheduler::body_ended(Thread& t) {
  if (t.helper) return;
  switch (t.pending.kind) {
    case EventKind::atomic_rmw:
    case EventKind::atomic_load:
    case EventKind::mutex_unlock:
    case EventKind::rwlock_unlock:
    case EventKind::spin_unlock:
    case EventKind::read:
    case EventKind::free:
    case EventKind::fence:
    case EventKind::futex_wake:
      return;
    default:
      break;
  }
  Problem& p = scratch_;
  p = {};
  p.kind = FindingKind::misuse;
  p.place = {t.id, t.pending.kind, t.pending.pc, 0};
  std::snprintf(p.message, sizeof p.message,
                "thread T%u is still running when the test body ends: join it, or make the body "
                "wait for its last action",
                t.id);
  fail(t, p);
}

namespace {

// Whom a thread waits for: the thread it joins; who holds its lock; if it is not to read although
// only readers hold it, the writers that wait.
template <class F>
void each_obstacle(Scheduler& s, const Thread& t, F f) {
  if (t.pending.kind == EventKind::thread_join) return f(static_cast<ThreadId>(t.wait_mask));
  const Object* o = t.waiting_on;
  if (!o || o->kind == ObjectKind::cond) return;
  if (o->owner != kNoThread) return f(o->owner);
  if (o->kind != ObjectKind::rwlock) return;
  if (t.pending.kind != EventKind::rwlock_rdlock) return o->readers.each(f);
  o->pending.each([&](ThreadId i) {
    if (s.thread(i).pending.kind == EventKind::rwlock_wrlock) f(i);
  });
}

bool waits_for(Scheduler& s, const Thread& t, ThreadId whom, ThreadSet& seen) {
  if (seen.has(t.id)) return false;
  seen.add(t.id);
  bool found = false;
  each_obstacle(s, t, [&](ThreadId i) {
    found = found || i == whom || (i < s.thread_count() && waits_for(s, s.thread(i), whom, seen));
  });
  return found;
}

}  // namespace

ThreadId Scheduler::who_blocks(const Thread& t) {
  ThreadId first = kNoThread, in_turn = kNoThread;
  each_obstacle(*this, t, [&](ThreadId i) {
    if (first == kNoThread) first = i;
    ThreadSet seen;
    if (i == t.id ||
        (in_turn == kNoThread && i < count_ && waits_for(*this, threads_[i], t.id, seen)))
      in_turn = i;
  });
  return in_turn != kNoThread ? in_turn : first;
}

void Scheduler::list_blocked(ThreadId spinner) {
  if (!recorder_) return;
  std::uint64_t pc;
  backend_->stack(0, &pc, 0);
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Thread& w = threads_[i];
    if (w.finished || w.helper) continue;
    Blocked* b = recorder_->blocked();
    if (!b) return;
    b->thread = w.id;
    b->kind = w.pending.kind;
    b->address = w.pending.address;
    b->pc = w.pending.pc;
    b->frame = frame_of(b->address);
    // What it waits for has not happened: no event tells where in the program it is.
    std::uint64_t pcs[48];
    b->stack = recorder_->stack(pcs, backend_->stack_of(w, b->pc, pcs, 48));
    b->spinning = enabled_.has(w.id) || w.id == spinner || w.wait == Wait::parked;
    b->owner = who_blocks(w);
    if (w.pending.kind == EventKind::io_wait) {
      b->descriptor = std::bit_cast<AwaitedDescriptor>(w.wait_mask);
      record_wait(w);
    }
  }
}

// It waits inside the C library: only its stack tells where in the program.
void Scheduler::record_wait(const Thread& t) {
  Event* e = recorder_->event();
  if (!e) return;
  e->pc = t.pending.pc;
  e->thread = t.id;
  e->kind = t.pending.kind;
  e->decision = recorder_->decision_count();
  std::uint64_t pcs[48];
  e->stack = recorder_->stack(pcs, backend_->stack_of(t, e->pc, pcs, 48));
}

Place Scheduler::place_of_wait(const Thread& t) const {
  Place p{t.id, t.pending.kind, t.pending.pc, 0};
  if (!recorder_ || p.kind != EventKind::io_wait) return p;
  for (std::uint32_t i = recorder_->event_count(); i > 0 && p.event == 0; --i)
    if (const Event& e = recorder_->event_at(i - 1); e.thread == t.id) p.event = i;
  return p;
}

void Scheduler::stuck() {
  Thread& t = threads_[view_.running];
  if (body_over_) {
    for (std::uint32_t i = 0; i < count_; ++i)
      if (!threads_[i].finished) {
        Thread& w = threads_[i];
        w.pending.kind =
            w.pending.kind == EventKind::mutex_unlock ? EventKind::point : w.pending.kind;
        body_ended(w);
      }
  }
  wait_instead();
  list_blocked(kNoThread);
  Problem& p = scratch_;
  p = {};
  p.kind = parked_ > 0 ? FindingKind::livelock : FindingKind::deadlock;
  std::uint32_t blocked = 0;
  for (std::uint32_t i = 0; i < count_; ++i)
    if (!threads_[i].finished && !threads_[i].helper) {
      if (blocked++ == 0) p.place = place_of_wait(threads_[i]);
    }
  // A lock that is waited for says more than a join.
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Thread& w = threads_[i];
    if (w.finished || w.helper || w.pending.kind == EventKind::thread_join) continue;
    p.place = place_of_wait(w);
    p.address = w.pending.address;
    break;
  }
  const char* why = parked_ == 0 && doubt ? doubt(*this, false) : nullptr;
  if (why) {
    p.kind = FindingKind::timeout;
    std::snprintf(p.message, sizeof p.message, "%s", why);
  } else if (parked_ > 0)
    std::snprintf(p.message, sizeof p.message,
                  "every thread that can run repeats the same reads for ever: no other thread is "
                  "left to change what they wait for");
  else
    std::snprintf(p.message, sizeof p.message, "%u thread%s wait%s for ever", blocked,
                  blocked == 1 ? "" : "s", blocked == 1 ? "s" : "");
  fail(t, p);
}

void Scheduler::over_limit(Thread& t) {
  if (given_up_) leave_given_up(t);
  if (leaving_ != kNoThread) {  // the program would have ended meanwhile
    if (log_) log_->cannot_tell("has threads that go on for long while it ends");
    leave(t);
  }
  // A thread that was only reading spins, and so does one that mostly sees the same at one place;
  // if all do that could go on, nobody will end it. Anything else may just be long.
  const auto spins = [this](const Thread& of) {
    const Thread::Look* most = of.most_in_vain();
    return most && most->in_vain >= steps_ / kSpinning ? most : nullptr;
  };
  bool spin = true;
  enabled_.each(
      [&](ThreadId i) { spin = spin && (threads_[i].spins >= kLongSpin || spins(threads_[i])); });
  if (beyond_ && !spin) leave(t);  // what is left is just long
  list_blocked(t.id);
  Problem& p = scratch_;
  p = {};
  const Thread::Look* look = t.spins >= kLongSpin ? nullptr : spins(t);
  p.kind = spin ? FindingKind::livelock : FindingKind::timeout;
  p.place = {t.id, t.pending.kind, t.pending.pc, 0};
  p.address = t.pending.address;
  if (look && spin) {
    p.place = {t.id, look->kind, look->pc, 0};
    p.address = look->address;
  }
  std::snprintf(p.message, sizeof p.message,
                "the execution was cut after %u steps%s; thread T%u was %s", steps_ - 1,
                beyond_ || steps_ <= most_steps_ ? "" : " (max-steps)", t.id,
                t.spins >= kLongSpin || look ? "spinning" : "still working");
  fail(t, p);
}

}  // namespace jostle
