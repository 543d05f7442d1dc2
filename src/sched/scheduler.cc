#include "sched/scheduler.h"

#include <algorithm>

#include "base/words.h"

namespace jostle {

// Virtual time starts here: an arbitrary constant, the same in every execution.
constexpr std::uint64_t kTimeZero = 1'000'000'000'000ull;

Scheduler::Scheduler()
    : objects_(shadow_), threads_(kMaxThreads), arena_(std::size_t{1} << 32), states_(kStates) {
  states_.resize(kStates);
  threads_.resize(kMaxThreads);
  view_.threads = threads_.begin();
}

void Scheduler::begin(const Plan& plan, const Profile& profile, Strategy& strategy,
                      Recorder* recorder) {
  // Everything that the last execution left in shadow cells is now in the past of everybody.
  for (std::uint32_t i = 0; i < count_; ++i)
    if (threads_[i].epoch > base_) base_ = threads_[i].epoch;
  base_ = (base_ & ~(kTick - 1)) + kTick;

  strategy_ = &strategy;
  patience_ = plan.patience == Plan::kExact ? plan.patience : std::min(plan.patience, Plan::kEach);
  more_patience_ = plan.patience - patience_;
  spin_watch_ = false;
  disturbances_ = 0;
  if (const bool exact = patience_ == Plan::kExact && plan.watches; exact != watching_)
    watch(exact);
  recorder_ = recorder;
  if (put_away_) set_log(put_away_);
  if (log_) log_->begin(settings_.bounds.timeouts, settings_.bounds.weak_cas);
  if (accesses_) accesses_->begin();
  strategy_wants_events_ = strategy.wants_events();
  enabled_.reset();
  mixed_.reset();
  woken_elsewhere.reset();
  operated_ = nullptr;
  simple_ = settings_.bounds.spurious == 0 && gate_ == nullptr;
  view_.yielding = kNoThread;
  in_time_.reset();
  timers_ = timeouts_ = spurious_ = weak_cas_ = parked_ = 0;
  steps_ = forced_ = count_ = live_ = helpers_ = decision_ = since_fair_ = 0;
  overdue_ = kNoThread;
  stamp_ = 1;
  now_ = kTimeZero;
  signature_ = 0;
  clocks_differ_ = false;
  outside_ahead_ = 0;
  body_over_ = beyond_ = given_up_ = false;
  held_back_ = 0;
  leaving_ = kNoThread;
  most_steps_ = settings_.bounds.max_steps;
  robust_mutexes = false;
  new_behaviours_ = 0;
  cycle_ = settings_.sees_writes ? Cycle::not_yet : Cycle::over;
  objects_.reset();
  arena_.reset();
  view_.running = kNoThread;
  view_.count = 0;
  view_.decision = 0;
  outcome_.failure.kind = FindingKind::none;
  outcome_.skipped = outcome_.given_up = outcome_.again = false;
  outcome_.left_out = outcome_.held_back = outcome_.diverged = outcome_.leaves_files = false;
  outcome_.switches = outcome_.preemptions = 0;
  if (measuring_) measured_ = {};
  settle();
  strategy_->begin(plan, profile);
}

void Scheduler::settle() {
  plain_decisions_ = !recorder_ && !moment_ && !beyond_ && cycle_ != Cycle::looking;
  plain_steps_ = !recorder_ && !log_ && !accesses_ && !measuring_ && !operated_ && !body_over_ &&
                 !clocks_differ_ && cycle_ != Cycle::looking;
}

Thread* Scheduler::add_thread(Thread* parent) {
  if (count_ == kMaxThreads) return nullptr;
  const auto id = static_cast<ThreadId>(count_++);
  view_.count = count_;
  Thread& t = threads_[id];
  static_assert(EventKind::thread_start == EventKind{});  // what is pending
  clear_few<sizeof(ThreadState)>(static_cast<ThreadState*>(&t));
  t.parent = t.next_waiter = t.joiner = kNoThread;
  t.scheduler = this;
  t.id = id;
  t.fuel = kFuel;

  for (std::uint32_t i = 0; i < id; ++i) threads_[i].clock[id] = base_;
  if (parent) {
    t.parent = parent->id;
    t.ahead = parent->ahead;
    t.ordinal = parent->children++;
    t.path = path_of_child(parent->path, t.ordinal);
    for (std::uint32_t i = 0; i < id; ++i) t.clock[i] = parent->clock[i];
    tick(*parent);
  } else {
    t.path = kMainPath;
  }
  t.epoch = t.clock[id] = (base_ + kTick) | id;
  enabled_.add(id);
  ++live_;
  if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->created(id, t.path);
  if (JOSTLE_UNLIKELY(accesses_ != nullptr) && parent)
    accesses_->add(parent->id, Did::fork, id, parent->pending.pc);
  strategy_->created(id, t.parent);
  if (recorder_) {
    ThreadInfo& info = recorder_->thread(id);
    info = {};
    info.parent = t.parent;
    info.ordinal = t.ordinal;
    info.create_event = recorder_->event_count();
  }
  if (id == 0) view_.running = 0;
  return &t;
}

// --- deciding ------------------------------------------------------------------------------

void Scheduler::reschedule(Thread& t) {
  if (JOSTLE_UNLIKELY(sealed_place != nullptr) && sealed_place(t, t.pending.pc)) return sealed();
  // However a strategy prefers it: who polls without end would keep the others from ever running.
  if (JOSTLE_UNLIKELY(++since_fair_ >= kUnfair)) {
    since_fair_ = 0;
    if (patience_ != Plan::kExact) give_way_to_longest();
  }
  const ThreadId n = next();
  if (n == t.id && JOSTLE_LIKELY(!t.interrupted)) return;
  go_on_with(t, n);
}

void Scheduler::go_on_with(Thread& t, ThreadId n) {
  ++outcome_.switches;
  view_.running = n;
  threads_[n].ran_at = steps_;
  backend_->switch_to(t, threads_[n]);
}

// Whoever has waited longest to go on does, whatever the strategy says.
void Scheduler::give_way_to_longest() {
  enabled_.each([&](ThreadId i) {
    if (overdue_ == kNoThread || threads_[i].ran_at < threads_[overdue_].ran_at) overdue_ = i;
  });
  simple_ = false;
}

void Scheduler::block(Thread& t) {
  if (++steps_ > most_steps_) over_limit(t);
  const ThreadId n = next();
  if (n == t.id && JOSTLE_LIKELY(!t.interrupted)) return;
  go_on_with(t, n);
}

void Scheduler::yield(Thread& t) {
  if (patience_ == Plan::kExact) {
    if (watching_ && can_park(t)) return;  // where it looks again: see look()
    const std::uint64_t state = state_of(t);
    // Where states cannot be told, a few turns are enough.
    const bool repeats = state != 0 ? state == t.yield_state : ++t.yields > 3;
    t.yield_state = state;
    if (!repeats) return;
  } else if (t.yields < patience_) {
    ++t.yields;
    return;
  } else if (JOSTLE_UNLIKELY(more_patience_ > 0)) {
    --more_patience_;
    return;
  }
  give_way(t);
}

void Scheduler::give_way(Thread& t) {
  view_.yielding = t.id;
  simple_ = false;
  strategy_->yielded(t.id);
}

Event* Scheduler::forced_point(Thread& t) {
  ++forced_;
  t.fuel = kFuel << (cycle_ == Cycle::looking ? 0 : t.slices);
  if (t.slices < 5) ++t.slices;
  yield(t);
  point(t);
  Event* const e = noted(t);
  if (forced_ >= kForcedFrom && cycle_ == Cycle::not_yet) look_for_cycle(t);
  return e;
}

void Scheduler::gather() {
  mixed_ = enabled_;
  if (JOSTLE_UNLIKELY(parked_ > 0))
    for (std::uint32_t i = 0; i < count_; ++i)
      if (threads_[i].wait == Wait::parked && changed(threads_[i])) mixed_.add(threads_[i].id);
  if (timers_ > 0) {
    in_time_.reset();
    if (exact())
      gather_timers(mixed_.empty());
    else
      each_due([&](const Thread& t) {
        if (t.wait == Wait::sleeping || may_be_early(t)) mixed_.add(t.id);
      });
    if (JOSTLE_UNLIKELY(helpers_ > 0)) timers_first();
  }
  if (spurious_ < settings_.bounds.spurious)
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Thread& w = threads_[i];
      if (!w.finished && w.waiting_on && w.waiting_on->kind == ObjectKind::cond && !w.woken)
        mixed_.add(w.id);
    }
}

// Whose time runs out next must not depend on what others do with theirs meanwhile, or no order of
// operations that depend on each other would tell: a sleep ends whenever it is looked at, and what
// may run out early does so in any order. Only where nobody else is left to go on do limits pass in
// their order, also before sleeps that last longer.
void Scheduler::gather_timers(bool nobody_else) {
  each_timer([&](const Thread& t) {
    if (t.wait == Wait::sleeping || may_be_early(t)) mixed_.add(t.id);
  });
  if (!nobody_else) return;
  each_due([&](const Thread& t) {
    if (t.wait == Wait::sleeping || may_be_early(t)) return;
    in_time_.add(t.id);
    mixed_.add(t.id);
  });
}

// A helper's time is a timer of the program, which comes when it is due: no sleep and no limit that
// lasts longer ends before it has done what it has to, however slow it is as a thread.
void Scheduler::timers_first() {
  std::uint64_t due = ~0ull;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Thread& h = threads_[i];
    if (h.helper && !h.patient && (enabled_.has(h.id) || h.wait == Wait::timed))
      due = std::min(due, h.deadline);
  }
  each_timer([&](const Thread& t) {
    if (!t.helper && t.deadline > kTimerSlack && t.deadline - kTimerSlack > due)
      mixed_.remove(t.id);
  });
}

// Whoever is left only waits, by looking again and again: meanwhile time passes for timers.
void Scheduler::add_timers() {
  if (timers_ == 0) return;
  each_due([&](const Thread& t) {
    if (t.helper && !t.patient) mixed_.add(t.id);
  });
}

const ThreadSet& Scheduler::candidates() {
  gather();
  if (JOSTLE_UNLIKELY(gate_ != nullptr) && !mixed_.empty()) pass_gate();
  // Where the schedule is exact, whoever yields may be taken again: the strategy knows.
  if (const ThreadId y = view_.yielding; y != kNoThread && mixed_.has(y) && !exact()) {
    mixed_.remove(y);
    if (mixed_.empty() && helpers_ > 0) add_timers();
    if (mixed_.empty()) mixed_.add(y);
  }
  return mixed_;
}

// Whoever is held back waits as for a lock: time may pass meanwhile, and somebody else may then go
// on. If not, this is no deadlock of the program.
void Scheduler::pass_gate() {
  for (;;) {
    if (!gate_->admit(*this, view_, mixed_)) leave(threads_[view_.running]);
    if (!mixed_.empty()) return;
    if (timers_ == 0) {
      gate_->nobody_left(*this);
      leave(threads_[view_.running]);
    }
    fire(earliest(), true);
    if (log_) log_->complete();
    gather();
  }
}

ThreadId Scheduler::ask_strategy(const ThreadSet& c) {
  view_.candidates = &c;
  view_.decision = decision_++;
  return strategy_->pick(view_);
}

ThreadId Scheduler::next() {
  if (JOSTLE_LIKELY(simple_ && plain_decisions_)) {
    if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->complete();
    ThreadId n = enabled_.first();
    if (JOSTLE_LIKELY(n != kNoThread)) {
      const bool decided = enabled_.at_least_two();
      if (decided) {
        n = ask_strategy(enabled_);
        outcome_.preemptions += n != view_.running && enabled_.has(view_.running);
      }
      if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->decided(view_, n, decided);
      return n;
    }
  }
  return next_attended();
}

ThreadId Scheduler::next_attended() {
  if (JOSTLE_UNLIKELY(recorder_ != nullptr) && view_.running != kNoThread)
    complete_write(threads_[view_.running]);
  for (;;) {
    if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->complete();
    if (JOSTLE_UNLIKELY(leaving_ != kNoThread) && nobody_but_leaver()) {
      enable(threads_[leaving_]);
      if (log_) log_->decided(view_, leaving_, false);
      return leaving_;
    }
    if (JOSTLE_UNLIKELY(last_resort_ != nullptr) && enabled_.empty() &&
        last_resort_(*this, timers_ > 0))
      continue;
    const ThreadSet& c = simple_ ? enabled_ : candidates();
    bool decided = false;
    const bool idle = c.empty();
    if (idle) {
      if (timers_ == 0) {
        if (resume_held_back() || (outcome_.left_out && follow_left_out())) continue;
        stuck();
      }
      each_due([&](const Thread& t) { mixed_.add(t.id); });
    }
    ThreadId n = c.first();
    if (JOSTLE_UNLIKELY(moment_ != nullptr)) {
      view_.candidates = &c;
      view_.decision = decision_;
      if (strategy_->awaits_outside(view_) && moment_(*this)) continue;
    }
    if (JOSTLE_UNLIKELY(cycle_ == Cycle::looking)) {
      // Fair and without a choice: the next one in order of creation.
      ThreadId after = kNoThread;
      c.each([&](ThreadId i) {
        if (i > view_.running && after == kNoThread) after = i;
      });
      if (after != kNoThread) n = after;
    } else if (JOSTLE_UNLIKELY(beyond_)) {
      n = next_beyond(c);
    } else if (c.at_least_two()) {
      n = ask_strategy(c);
      if (JOSTLE_UNLIKELY(overdue_ != kNoThread)) {
        if (c.has(overdue_)) n = overdue_;
        overdue_ = kNoThread;
      }
      const bool preempts = c.has(view_.running) && n != view_.running && !view_.runner_yields();
      outcome_.preemptions += preempts;
      if (JOSTLE_UNLIKELY(recorder_ != nullptr)) {
        if (Decision* d = recorder_->decision()) {
          d->event = recorder_->event_count();
          d->options = static_cast<std::uint16_t>(c.count());
          d->chosen = n;
          d->standard = standard_choice(view_);
          d->running = view_.running;
          d->preempts = preempts;
          if (preempts && enabled_.has(view_.running)) {
            const Op& op = threads_[view_.running].pending;
            std::uint64_t pcs[48];
            d->next = op.kind;
            d->stack = recorder_->stack(pcs, backend_->stack(op.pc, pcs, 48));
          }
        }
      }
      decided = true;
    }
    if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->decided(view_, n, decided);
    view_.yielding = kNoThread;
    simple_ =
        timers_ == 0 && parked_ == 0 && spurious_ >= settings_.bounds.spurious && gate_ == nullptr;
    if (JOSTLE_UNLIKELY(!enabled_.has(n))) {
      fire(n, idle);
      // To leave a condition's queue does not depend on the mutex: in an exact search it is a step
      // of its own.
      if (!enabled_.has(n) || (exact() && threads_[n].reacquire)) continue;
    }
    if (JOSTLE_UNLIKELY(gate_ != nullptr)) threads_[n].pending.mark = GateMark::passed;
    return n;
  }
}

std::uint32_t Scheduler::choose(Thread& t, ChoiceKind kind, std::uint32_t n) {
  if (n < 2 || beyond_) return 0;
  view_.candidates = &enabled_;
  view_.decision = decision_;
  const std::uint32_t k = strategy_->choose(kind, n, view_);
  if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->chosen(t.id, kind, n, k, decision_, view_.waiters);
  if (recorder_) {
    if (Decision* d = recorder_->decision()) {
      d->event = recorder_->event_count();
      d->options = static_cast<std::uint16_t>(n);
      d->chosen = static_cast<std::uint16_t>(k);
      d->standard = 0;
      d->running = t.id;
      d->kind = kind;
    }
  }
  ++decision_;
  return k;
}

bool Scheduler::weak_cas_fails(Thread& t, bool matches) {
  if (log_) log_->is_weak(t.id, matches);
  if (!matches || weak_cas_ >= settings_.bounds.weak_cas) return false;
  if (choose(t, ChoiceKind::weak_cas, 2) == 0) return false;
  ++weak_cas_;
  return true;
}

// --- waiting ---------------------------------------------------------------------------------

void Scheduler::enqueue(Object& o, Thread& t) {
  t.next_waiter = kNoThread;
  if (o.first_waiter == kNoThread)
    o.first_waiter = t.id;
  else
    threads_[o.last_waiter].next_waiter = t.id;
  o.last_waiter = t.id;
  ++o.waiters;
}

void Scheduler::dequeue(Object& o, Thread& t) {
  ThreadId before = kNoThread;
  for (ThreadId i = o.first_waiter; i != kNoThread; before = i, i = threads_[i].next_waiter) {
    if (i != t.id) continue;
    if (before == kNoThread)
      o.first_waiter = t.next_waiter;
    else
      threads_[before].next_waiter = t.next_waiter;
    if (o.last_waiter == t.id) o.last_waiter = before;
    --o.waiters;
    return;
  }
}

Thread* Scheduler::wake_one(Thread& by, Object& o) {
  if (o.waiters == 0) return nullptr;
  ThreadId queue[kMaxThreads];
  std::uint32_t n = 0;
  for (ThreadId w = o.first_waiter; w != kNoThread; w = threads_[w].next_waiter) queue[n++] = w;
  view_.waiters = queue;
  std::uint32_t k = choose(by, ChoiceKind::waiter, o.waiters);
  view_.waiters = nullptr;
  ThreadId i = o.first_waiter;
  while (k--) i = threads_[i].next_waiter;
  return wake(o, threads_[i]);
}

Thread* Scheduler::wake(Object& o, Thread& w) {
  dequeue(o, w);
  if (JOSTLE_UNLIKELY(w.elsewhere)) {
    woken_elsewhere.add(w.id);
    return &w;
  }
  if (JOSTLE_UNLIKELY(w.still_queued_in == &o)) {  // it sees that when its handler has returned
    w.still_queued_in = nullptr;
    return &w;
  }
  w.woken = true;
  if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->woke(w.id);
  disarm(w);
  w.resume(*this, w);
  return &w;
}

void Scheduler::wait_in(Object& o, Thread& t, std::uint64_t deadline,
                        void (*resume)(Scheduler&, Thread&)) {
  t.waiting_on = &o;
  t.woken = t.timed_out = t.spurious = false;
  if (JOSTLE_UNLIKELY(t.still_queued_in != nullptr)) {
    // A handler waits in turn. There is room for one queue: the wait that it interrupted is over.
    dequeue(*t.still_queued_in, t);
    t.still_queued_in = nullptr;
  }
  t.resume = resume ? resume : +[](Scheduler& s, Thread& w) { s.enable(w); };
  enqueue(o, t);
  disable(t, Wait::untimed);
  if (deadline) arm(t, deadline);
  block(t);
  t.waiting_on = nullptr;
  t.deadline = 0;
}

void Scheduler::arm(Thread& t, std::uint64_t deadline) {
  t.deadline = deadline;
  t.timed_out = false;
  t.wait = Wait::timed;
  ++timers_;
  simple_ = false;
  if (log_) log_->sets_limit(t.id);
  if (log_ && settings_.bounds.spurious > 0 && t.waiting_on &&
      t.waiting_on->kind == ObjectKind::cond)
    log_->cannot_tell("waits with a limit, and may wake for no reason: only one is tried");
}

void Scheduler::disarm(Thread& t) {
  if (t.wait != Wait::timed && t.wait != Wait::sleeping) return;
  t.wait = Wait::untimed;
  --timers_;
}

void Scheduler::sleep_until(Thread& t, std::uint64_t deadline) {
  disable(t, Wait::sleeping);
  t.deadline = deadline;
  ++timers_;
  simple_ = false;
  // However patient: who polls and sleeps would go first for ever under strict priorities.
  if (patience_ != Plan::kExact) give_way(t);  // asleep it lets others go anyway
  block(t);
  t.deadline = 0;
}

ThreadId Scheduler::earliest() const {
  ThreadId best = kNoThread;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Thread& t = threads_[i];
    if ((t.wait == Wait::timed || t.wait == Wait::sleeping) && !t.finished &&
        (best == kNoThread || t.deadline < threads_[best].deadline))
      best = t.id;
  }
  return best;
}

// Thread n was picked although it waits: its deadline passes, or it wakes for no reason.
void Scheduler::fire(ThreadId n, bool idle) {
  Thread& t = threads_[n];
  if (t.wait == Wait::parked) {
    --parked_;
    if (log_) log_->resumed();
    enable(t);
    return;
  }
  const bool sleeping = t.wait == Wait::sleeping;
  bool due = false;
  idle = idle || (t.helper && timeouts_ >= settings_.bounds.timeouts);  // see add_timers()
  if (exact()) {
    due = sleeping || t.wait == Wait::timed;
    idle = idle || in_time_.has(n);
  } else if (timers_ > 0) {
    each_due([&](const Thread& d) { due |= &d == &t; });
  }
  if (due && (idle || sleeping || timeouts_ < settings_.bounds.timeouts)) {
    if (t.deadline > now(t)) pass_time(t);
    --timers_;
    t.wait = Wait::untimed;
    if (log_)
      log_->fired(t, sleeping                                ? StepLog::Fired::rested
                     : !idle                                 ? StepLog::Fired::early
                     : timeouts_ < settings_.bounds.timeouts ? StepLog::Fired::in_time
                                                             : StepLog::Fired::idle);
    if (sleeping) {
      enable(t);
      return;
    }
    if (!idle) ++timeouts_;
    t.timed_out = true;
  } else {
    ++spurious_;
    if (log_) log_->fired(t, StepLog::Fired::spurious);
    disarm(t);
    t.spurious = t.woken = true;
  }
  if (Object* o = t.waiting_on) {
    dequeue(*o, t);
    o->pending.remove(t.id);
  }
  Event* const e = mark(t, EventKind::timeout, t.pending.address, t.pending.pc);
  // The thread that runs goes on by default.
  if (e && t.timed_out) e->other = enabled_.has(view_.running) ? view_.running : enabled_.first();
  if (t.resume)
    t.resume(*this, t);
  else
    enable(t);
}

std::uint64_t Scheduler::read_clock(Thread& t) {
  // A thread that does nothing but look at the clock, or also at what it has seen before, sees it
  // go faster and faster.
  t.spins = 0;
  ++t.times_seen;
  if (t.clock_reads < 40) ++t.clock_reads;
  t.ahead += t.clock_reads < 16 ? 1000 : 1000ull << (t.clock_reads - 16);
  clocks_differ();
  return now(t);
}

// t's deadline has come. Where the schedule is exact, only t knows, and whoever learns from it:
// for all others it might as well come later.
void Scheduler::pass_time(Thread& t) {
  if (!exact()) {
    now_ = t.deadline - t.ahead;
    return;
  }
  t.ahead = t.deadline - now_;
  clocks_differ();
}

void Scheduler::clocks_differ() {
  if (clocks_differ_) return;
  clocks_differ_ = true;
  settle();
}

// t has had to do with o: what it may know from there was not later than now.
void Scheduler::carry_time(Thread& t, Object* o, Effect effect) {
  if (effect == Effect::changed || (effect == Effect::looked && t.spins == 0)) t.clock_reads = 0;
  switch (const Op& op = t.pending; op.kind) {
    case EventKind::io_wait:
    case EventKind::stream_write:
    case EventKind::stream_read:
    case EventKind::stream_use:
    case EventKind::point:
      if (op.address == 0 && op.kind != EventKind::io_wait) break;
      outside_ahead_ = t.ahead = std::max(t.ahead, outside_ahead_);
      break;
    default:
      break;
  }
  if (!o) return;
  if (o->ahead > t.ahead)
    t.ahead = o->ahead;
  else if (effect != Effect::looked)
    o->ahead = t.ahead;
}

// --- performing --------------------------------------------------------------------------------

// Calls nothing on its way, so that it needs no stack frame.
Event* Scheduler::note(Thread& t, Object* o, Effect effect) {
  const Op& op = t.pending;
  const std::uint64_t site = place(op.pc);
  signature_ =
      (signature_ ^ (site + (static_cast<std::uint64_t>(t.id) << 48))) * 0x9fb21c651e98df25ull;
  signature_ ^= signature_ >> 29;
  std::uint32_t behaviour = kNoBehaviour;
  bool plain = plain_steps_ && (steps_ < kCycleFrom || cycle_ == Cycle::over);
  if (o) {
    if (o->last_thread != t.id) {
      if (o->last_thread != kNoThread) {
        const std::uint64_t h =
            (place(o->last_pc) * 0x9e3779b97f4a7c15ull) ^ (site * 0xc2b2ae3d27d4eb4full);
        const std::uint32_t bit = static_cast<std::uint32_t>(h >> 40) & (kBehaviours - 1);
        if (JOSTLE_UNLIKELY(!(behaviours_[bit >> 6] >> (bit & 63) & 1))) behaviour = bit;
      }
      o->last_thread = t.id;
    }
    o->last_pc = op.pc;
    plain = plain && behaviour == kNoBehaviour && !freed(*o);
  }
  if (JOSTLE_UNLIKELY(!plain)) return note_attended(t, o, effect, behaviour);
  return strategy_wants_events_ ? tell_strategy(t) : nullptr;
}

Event* Scheduler::tell_strategy(const Thread& t) {
  strategy_->performed(view_, t.id, t.pending);
  return nullptr;
}

Event* Scheduler::note_attended(Thread& t, Object* o, Effect effect, std::uint32_t behaviour) {
  const Op& op = t.pending;
  if (JOSTLE_UNLIKELY(log_ != nullptr)) log_->performed(t, o, effect);
  if (JOSTLE_UNLIKELY(clocks_differ_)) carry_time(t, o, effect);
  if (o) {
    // Atomics are looked at where all memory is. To wake whoever waits at an address that is not in
    // use any more harms nobody: libraries rely on it.
    if (JOSTLE_UNLIKELY(freed(*o)) && on_freed && o->kind != ObjectKind::atomic &&
        o->kind != ObjectKind::futex)
      on_freed(t, o->address, op.pc);
    if (JOSTLE_UNLIKELY(behaviour != kNoBehaviour)) behave(behaviour);
    if (JOSTLE_UNLIKELY(operated_ != nullptr)) operated_(*o);
  }
  if (JOSTLE_UNLIKELY(accesses_ != nullptr)) accesses_->performed(t, o, effect);
  if (strategy_wants_events_) strategy_->performed(view_, t.id, op);
  if (JOSTLE_UNLIKELY(measuring_)) measure_event(t);
  if (cycle_ == Cycle::looking || (steps_ - forced_ >= kCycleFrom && cycle_ == Cycle::not_yet))
    look_for_cycle(t);
  if (JOSTLE_UNLIKELY(body_over_)) body_ended(t);
  if (JOSTLE_LIKELY(recorder_ == nullptr)) return nullptr;
  Event* e = record(t, op.kind, op.address, op.pc);
  if (e) e->flags |= kStep;
  return e;
}

void Scheduler::behave(std::uint32_t bit) {
  for (std::uint32_t i = 0; i < new_behaviours_; ++i)
    if (fresh_[i] == bit) return;
  if (new_behaviours_ < kFresh) fresh_[new_behaviours_++] = bit;
}

// A plain write announces itself before it happens; by the thread's next step it has.
void Scheduler::complete_write(Thread& t) {
  if (t.last_write_event == 0) return;
  Event& w = recorder_->event_at(t.last_write_event - 1);
  t.last_write_event = 0;
  if (w.size == 0 || w.size > 8) return;
  w.value = 0;
  std::memcpy(&w.value, reinterpret_cast<const void*>(w.address), w.size);
  w.flags |= kValueKnown;
}

Event* Scheduler::record(Thread& t, EventKind kind, Address a, std::uint64_t pc) {
  complete_write(t);
  Event* e = recorder_->event();
  if (!e) return nullptr;
  e->pc = pc;
  e->address = a;
  e->thread = t.id;
  e->kind = kind;
  e->size = t.pending.size;
  e->order = t.pending.order;
  const std::uint32_t d = recorder_->decision_count();
  e->decision = d;
  std::uint64_t pcs[48];
  e->stack = recorder_->stack(pcs, backend_->stack(pc, pcs, 48));
  e->frame = frame_of(a);
  return e;
}

std::uint32_t Scheduler::frame_of(Address a) {
  StackFrame f;
  return a != 0 && backend_->frame(a, f) ? recorder_->frame(f) : 0;
}

void Scheduler::measure_event(Thread& t) {
  Profile& m = measured_;
  if (t.id >= Profile::kThreads) return;
  if (m.threads <= t.id) m.threads = t.id + 1u;
  ++m.events[t.id];
  m.parent[t.id] = t.parent;
  const Address a = t.pending.address;
  if (a == 0) return;
  std::uint32_t i = 0;
  while (i < m.objects && m.address[i] != a) ++i;
  if (i == Profile::kObjects) return;
  if (i == m.objects) m.address[m.objects++] = a;
  if (m.accesses[i][t.id]++ == 0) m.first[i][t.id] = m.events[t.id];
}

// --- clocks --------------------------------------------------------------------------------------

void Scheduler::room(Clock& c) {
  if (c.capacity >= count_) return;
  std::uint32_t n = 4;
  while (n < count_) n *= 2;
  auto* at = static_cast<Epoch*>(arena_.allocate(n * sizeof(Epoch)));
  for (std::uint32_t i = 0; i < c.length; ++i) at[i] = c.at[i];
  c.at = at;
  c.capacity = n;
}

void Scheduler::join_into(Clock& to, const Epoch* from, std::uint32_t length) {
  room(to);
  for (std::uint32_t i = 0; i < length; ++i)
    if (i >= to.length || from[i] > to.at[i]) to.at[i] = from[i];
  if (length > to.length) to.length = length;
}

void Scheduler::release_join(Thread& t, Clock& c) {
  join_into(c, t.clock, count_);
  tick(t);
}

}  // namespace jostle
