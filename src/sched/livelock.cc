// Threads that only repeat themselves: spinning ones, and all of them in a circle.
#include <cstdio>

#include "sched/scheduler.h"

namespace jostle {

namespace {

// Locks are taken and given back without end, so that the first of what a thread did must make
// room; otherwise what it looked at is only complete if it all has room.
Thread::Read& add_look(Thread& t) {
  if (t.scheduler->exact() && t.read_count == Thread::kReads) t.read_count = 0;
  return t.reads[t.read_count++ % Thread::kReads];
}

bool is_lock(EventKind k) {
  return k == EventKind::mutex_lock || k == EventKind::spin_lock || k == EventKind::rwlock_rdlock ||
         k == EventKind::rwlock_wrlock;
}

bool is_try(EventKind k) {
  return k == EventKind::mutex_trylock || k == EventKind::spin_trylock ||
         k == EventKind::rwlock_tryrdlock || k == EventKind::rwlock_trywrlock;
}

ObjectKind object_of(EventKind lock) {
  switch (lock) {
    case EventKind::mutex_lock:
    case EventKind::mutex_trylock:
      return ObjectKind::mutex;
    case EventKind::spin_lock:
    case EventKind::spin_trylock:
      return ObjectKind::spin;
    default:
      return ObjectKind::rwlock;
  }
}

// What others did with the lock that may matter to who takes it.
std::uint64_t turns(const Object& o, EventKind lock) {
  return lock == EventKind::rwlock_rdlock ? o.turns : std::uint64_t{o.turns} + o.shared_turns;
}

}  // namespace

Event* Scheduler::observed(Thread& t, Object* o, std::uint64_t value) {
  const Op& op = t.pending;
  bool in_vain = false;
  std::uint32_t for_ever = 0;
  if (patience_ == Plan::kExact || JOSTLE_UNLIKELY(steps_ > kCycleFrom)) {
    const Turn turn = look_again(t, value);
    for_ever = turn.in_vain;
    t.counts |= for_ever > kManyLooks;
    in_vain = (turn.relocked && is_try(op.kind)) || turn.undone;
  }
  // Exactly: the last look from each place. Else whatever was seen since the last change: two
  // values in turn teach as little as one.
  const bool exact = patience_ == Plan::kExact;
  bool repeats = false, known = false;
  ++t.looks;
  const std::uint32_t n = t.read_count < Thread::kReads ? t.read_count : Thread::kReads;
  for (std::uint32_t i = 0; i < n && !known; ++i) {
    Thread::Read& r = t.reads[i];
    // What a try has taken before is another kind of look.
    if (r.pc != op.pc || r.address != op.address || r.kind != op.kind) continue;
    if (exact && r.place != t.place) continue;
    if (!exact && r.value != value) continue;
    known = true;
    repeats = r.value == value;
    r.value = value;
    r.state = t.look_state;
    r.number = t.looks;
  }
  if (!repeats) {
    if (!known)
      add_look(t) = {op.pc,   value,   op.address, t.place, t.look_state,
                     t.looks, op.size, op.kind,    false,   0};
    t.spins = 0;
    ++stamp_;
  } else {
    ++t.spins;
    // Only a long spin is worth looking at closely, and only now and then: if the thread's own
    // state is the same as when it was last looked at, and it has only repeated itself since, it
    // will do so for ever unless somebody else changes memory.
    if (t.spins >= kLongSpin && t.spins % kLongSpin == 0) {
      // The first look only starts the watch on writes; a second one can tell.
      if (!spin_watch_) watch(true);
      spin_watch_ = true;
      const std::uint64_t state = state_of(t);
      if (state == t.spin_state && state != 0) t.certified = stamp_;
      t.spin_state = state;
    }
    yield(t);
  }
  if (beyond_ && for_ever > 0) view_.yielding = t.id;
  t.look_state = 0;
  Event* e = note(t, o, Effect::looked);
  if (JOSTLE_UNLIKELY(in_vain || for_ever > Bounds::kLooks) && patience_ == Plan::kExact &&
      !beyond_ && settings_.bounds.retries != Bounds::kAnyNumber) {
    // With nobody to wait for it goes on, as long as that may still be a loop with an end.
    const bool goes_on = enabled_.only(t.id) && timers_ == 0 && !awaited_;
    const bool alone = goes_on && !outcome_.left_out && held_back_ == 0;
    if (for_ever > kBeyond && for_ever >= steps_ / kSpinning && alone) over_limit(t);
    if (in_vain && t.retries++ >= settings_.bounds.retries)
      leave_out(t);
    else if (for_ever > Bounds::kLooks && !alone) {
      if (t.held == Thread::Held::never)
        hold_back(t);
      else if (!goes_on || for_ever > kResumed)
        leave_out(t);
    }
  }
  if (t.certified == stamp_ && t.spins >= kLongSpin) {
    bool all = timers_ == 0 && leaving_ == kNoThread;
    enabled_.each([&](ThreadId i) { all = all && threads_[i].certified == stamp_; });
    if (all) {
      list_blocked(t.id);
      Problem& p = scratch_;
      p = {};
      p.kind = FindingKind::livelock;
      p.place = {t.id, op.kind, op.pc, recorder_ ? recorder_->event_count() : 0};
      p.address = op.address;
      std::snprintf(p.message, sizeof p.message,
                    "every thread that can run repeats the same reads for ever: no other thread "
                    "is left to change what they wait for");
      fail(t, p);
    }
  }
  return e;
}

// What t has seen at this place before, whatever it has done in between. A loop that counts its
// turns never comes back to the same state, and would never end: see Bounds::kLooks. `relocked`: it
// has given back and taken another lock since; `undone`: it has changed atomics and put them back,
// and is where it was. Whoever does the same the other way round sees each of these turns, so that
// they make a difference, and there is no end to them: back-off loops, std::lock(). In each
// execution a thread may take a few: see Bounds::retries.
Scheduler::Turn Scheduler::look_again(Thread& t, std::uint64_t value, bool got) {
  const Op& op = t.pending;
  const std::uint64_t place = exact() ? t.place : op.pc;
  const Thread::Look now = {op.pc,     place, value,        op.address, 0,       t.relocks,
                            t.changes, t.net, t.look_state, steps_,     op.kind, got};
  for (std::uint32_t i = 0; i < t.look_count && i < Thread::kLooks; ++i) {
    Thread::Look& l = t.last_looks[i];
    if (l.place != place || l.address != op.address) continue;
    Turn turn = {l.value == value ? l.in_vain + 1 : 0, t.relocks > l.relocks, false};
    if (turn.in_vain > 0 && t.changes != l.changes && t.net == l.net) {
      turn.undone = l.state != 0 && l.state == t.look_state;
      if (!watching_ && exact() && turn.in_vain > 1 && settings_.sees_writes) {
        outcome_.again = true;  // as in would_repeat()
        watch(true);
      }
    }
    l = now;
    l.in_vain = got && !exact() ? 0 : turn.in_vain;  // that is no look: see look_for_cycle()
    return turn;
  }
  t.last_looks[t.look_count++ % Thread::kLooks] = now;
  return {};
}

// What an atomic is changed to is told by changes(), and a lock that is taken is given back. The
// rest is taken for something that is never undone.
void Scheduler::count_change(Thread& t, const Object* o) {
  ++t.changes;
  if (!o || o->kind != ObjectKind::atomic) t.net = combine64(t.net, stamp_);
}

void Scheduler::leave_out(Thread& t) {
  outcome_.left_out = true;
  disable(t, Wait::left_out);
  block(t);
}

// t sees the same again and again: others go first, until they are done or wait for it. What they
// do meanwhile, and whether t could have gone on in between, is beyond the bound.
void Scheduler::hold_back(Thread& t) {
  outcome_.held_back = true;
  t.held = Thread::Held::now;
  ++held_back_;
  if (log_) log_->holds_back(t.id);
  disable(t, Wait::left_out);
  block(t);
}

// Nobody else can go on. If they have changed nothing of what it looks at, one that was held back
// might as well have waited where it began to look: it goes on as if nothing had been. False: there
// is none like that.
bool Scheduler::resume_held_back() {
  if (held_back_ == 0) return false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Thread& t = threads_[i];
    if (t.held != Thread::Held::now) continue;
    const Thread::Look* const look = t.most_in_vain();
    const Thread::Read* read = nullptr;
    for (std::uint32_t k = 0; k < t.read_count && k < Thread::kReads && look; ++k)
      if (t.reads[k].pc == look->pc && t.reads[k].address == look->address) read = &t.reads[k];
    if (!read || changed(*read)) continue;
    t.held = Thread::Held::before;
    --held_back_;
    if (log_) log_->no_longer_holds_back(t.id);
    enable(t);
    return true;
  }
  for (std::uint32_t i = 0; i < count_; ++i)
    if (threads_[i].held == Thread::Held::now) threads_[i].held = Thread::Held::before;
  held_back_ = 0;
  outcome_.left_out = true;
  return false;
}

// Nobody can go on but threads that were left out. The search ends here: what they do now is beyond
// its bound. But it may be that they never get what they try for, and that must not be passed over.
// So they go on, a turn of a loop at a time and without choices, until they are done or wait for
// ever. False: they were let go already.
bool Scheduler::follow_left_out() {
  if (beyond_) return false;
  close_log();
  put_away_ = log_;
  log_ = nullptr;
  beyond_ = true;
  beyond_from_ = steps_;
  simple_ = false;
  // Under a fair schedule they may go round in a circle.
  if (cycle_ == Cycle::not_yet && timers_ == 0 && leaving_ == kNoThread) start_looking(kLeftOutFor);
  settle();
  if (most_steps_ > steps_ + kBeyond) most_steps_ = steps_ + kBeyond;
  for (std::uint32_t i = 0; i < count_; ++i)
    if (threads_[i].wait == Wait::left_out) enable(threads_[i]);
  return true;
}

// Whoever runs, until it waits, only repeats itself or has given back its locks, so that it does
// not stand in the others' way; then the next in order of creation. Where that leads nowhere
// either, as chance will have it.
ThreadId Scheduler::next_beyond(const ThreadSet& c) const {
  const std::uint32_t n = c.count();
  if (n > 1 && steps_ > beyond_from_ + kTurnByTurn && combine64(steps_, stamp_) % 4 == 0)
    return c.nth(static_cast<std::uint32_t>(combine64(stamp_, steps_) % n));
  if (c.has(view_.running) && view_.yielding != view_.running) return view_.running;
  ThreadId after = kNoThread;
  c.each([&](ThreadId i) {
    if (i > view_.running && after == kNoThread) after = i;
  });
  return after != kNoThread ? after : c.first();
}

// 0 if it cannot be told. Memory belongs to it: a thread may count where neither its registers nor
// its stack show it. Writes are told while somebody watches.
std::uint64_t Scheduler::state_of(Thread& t, std::uint64_t& place) {
  const std::uint64_t own = backend_->state(t, t.pending.pc, place);
  if (own == 0 || !settings_.sees_writes) return 0;
  return combine64(combine64(own, t.pending.pc),
                   t.disturbances + (std::uint64_t{t.times_seen} << 40)) |
         1;
}

// --- threads that wait in a loop ---------------------------------------------------------------

bool Scheduler::changed(const Thread::Read& r) {
  std::uint64_t now = 0;
  switch (r.kind) {
    case EventKind::mutex_lock:
    case EventKind::spin_lock:
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_wrlock: {
      const Object* o = objects_.find(r.address, object_of(r.kind));
      return !o || turns(*o, r.kind) != r.value;
    }
    case EventKind::mutex_trylock:
    case EventKind::spin_trylock: {
      const Object* o = objects_.find(r.address, object_of(r.kind));
      return !o || o->owner != r.value;
    }
    case EventKind::rwlock_tryrdlock:
    case EventKind::rwlock_trywrlock: {
      const Object* o = objects_.find(r.address, ObjectKind::rwlock);
      return !o ||
             (o->owner == kNoThread && (r.kind == EventKind::rwlock_tryrdlock || o->count == 0));
    }
    case EventKind::thread_tryjoin:
      return threads_[r.value].finished;
    default:
      std::memcpy(&now, reinterpret_cast<const void*>(r.address), r.size <= 8 ? r.size : 8);
      return now != r.value;
  }
}

bool Scheduler::changed(const Thread& parked) {
  if (!lock_is_free(parked)) return false;
  for (std::uint32_t i = 0; i < parked.read_count; ++i)
    if (parked.in_loop(parked.reads[i]) && changed(parked.reads[i])) return true;
  return false;
}

bool Scheduler::lock_is_free(const Thread& parked) {
  const Op& op = parked.pending;
  if (!is_lock(op.kind)) return true;
  const Object* o = objects_.find(op.address, object_of(op.kind));
  return !o || (o->owner == kNoThread && (op.kind != EventKind::rwlock_wrlock || o->count == 0));
}

// What a turn of a loop does with a lock is undone at its end, so that it is a look: it comes to
// the same again as long as nobody else has had the lock. Whoever tries to take it may well see the
// difference.
Event* Scheduler::holds(Thread& t, Object& o, EventKind kind, bool now) {
  ++stamp_;
  t.spins = 0;
  t.yields = 0;
  t.slices = 0;
  if (now && look_again(t, 0, true).in_vain > 0) ++t.relocks;
  const bool shared = kind == EventKind::rwlock_rdlock;
  const std::uint32_t own = t.parked_since == 0 ? 1 : 0;
  (shared ? o.shared_turns : o.turns) += own;
  bool known = false, keeps = false;
  for (std::uint32_t i = 0; i < t.read_count; ++i) {
    Thread::Read& r = t.reads[i];
    if (!is_lock(r.kind) || r.address != o.address) {
      keeps |= r.held;
      continue;
    }
    if (!shared || r.kind != EventKind::rwlock_rdlock) r.value += own;  // no news to itself
    if (r.kind != kind) continue;
    if (!now) {
      r.held = false;
    } else if (r.place == t.place) {
      r.value = turns(o, kind);
      r.state = t.look_state;
      r.number = ++t.looks;
      ++r.times;
      known = r.held = true;
    }
  }
  if (beyond_ && !now && !keeps) view_.yielding = t.id;
  if (now && !known)
    add_look(t) = {t.pending.pc, turns(o, kind), o.address, t.place, t.look_state, ++t.looks, 1,
                   kind,         true,           1};
  t.look_state = 0;
  return note(t, &o, Effect::changed);
}

bool Scheduler::can_park(const Thread& t) const {
  if (t.read_count == 0 || t.read_count > Thread::kReads) return false;
  bool locks = false, tries = false;
  for (std::uint32_t i = 0; i < t.read_count; ++i) {
    const Thread::Read& r = t.reads[i];
    if (!t.in_loop(r)) continue;
    if (r.held) return false;  // the turn is not over
    locks |= is_lock(r.kind);
    tries |= is_try(r.kind);
  }
  // Who takes a lock, and gives it back because it does not get another one, is seen by whoever
  // does the same the other way round: each turn matters.
  return beyond_ || !(locks && tries);
}

bool Scheduler::would_repeat(Thread& t) {
  t.parked_since = 0;
  t.place = t.pending.pc;
  if (watching_ && t.counts) return false;
  if (!watching_) {
    // It is led to its end first: what it has changed outside of the body (libstdc++ counts who
    // waits for an atomic) would otherwise be in the way of all others.
    for (std::uint32_t i = 0; i < t.read_count && i < Thread::kReads && !outcome_.again; ++i)
      outcome_.again = t.reads[i].pc == t.pending.pc && settings_.sees_writes &&
                       (!is_lock(t.reads[i].kind) || t.reads[i].times >= kManyTurns);
    if (outcome_.again) watch(true);
    return false;
  }
  // Without optimisation all loads of one type are made in the same small function, so that a place
  // is also where it was called from.
  t.look_state = state_of(t, t.place);
  if (t.look_state == 0) return false;
  for (std::uint32_t i = 0; i < t.read_count && i < Thread::kReads; ++i) {
    const Thread::Read& r = t.reads[i];
    if (r.place == t.place && r.address == t.pending.address && r.state == t.look_state &&
        r.number > t.parked_since)
      t.parked_since = r.number;  // the last time: a try may have got the lock before
  }
  // It may go round in a loop of several looks, as in a wait that spins a few times before it gives
  // up and is called again: never the same twice in a row, but the same all over again.
  if (t.parked_since == 0 && t.certified == stamp_ && t.spins >= kLongSpin)
    t.parked_since = t.looks - kLongSpin + 1;
  return t.parked_since != 0 && can_park(t) && !changed(t);
}

// Nobody can go on. Who would take a turn, but for a lock that somebody keeps, is not one who
// spins.
void Scheduler::wait_instead() {
  if (parked_ == 0) return;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Thread& t = threads_[i];
    if (t.wait == Wait::parked && !lock_is_free(t)) unpark(t);
  }
}

void Scheduler::unpark(Thread& t) {
  t.waiting_on = is_lock(t.pending.kind)
                     ? objects_.find(t.pending.address, object_of(t.pending.kind))
                     : nullptr;
  t.wait = Wait::lock;
  --parked_;
}

void Scheduler::park(Thread& t) {
  for (std::uint32_t i = 0; i < t.read_count; ++i) {
    const Thread::Read& r = t.reads[i];
    if (!is_lock(r.kind) || !t.in_loop(r)) continue;
    if (Object* o = objects_.find(r.address, object_of(r.kind))) o->polled = true;
  }
  ++parked_;
  simple_ = false;
  disable(t, Wait::parked);
  block(t);
}

void Scheduler::watch(bool on) {
  watching_ = on;
  backend_->watch_writes(on);
}

void Scheduler::stop_looking() {
  cycle_ = Cycle::over;
  settle();
  if (!spin_watch_ && patience_ != Plan::kExact) watch(false);
}

void Scheduler::start_looking(std::uint32_t steps) {
  cycle_ = Cycle::looking;
  settle();
  cycle_begin_ = steps_;
  cycle_end_ = steps_ + steps;
  std::memset(states_.begin(), 0, kStates * sizeof(std::uint64_t));
  if (!watching_) watch(true);
}

// Whoever does not get a lock and then waits for it in another turn, as std::lock() does, is let
// through as soon as the others are not in step with it: nobody calls that a livelock.
bool Scheduler::waits_for_what_it_tried(const Thread& t) const {
  bool tried = false;
  const std::uint32_t n = t.look_count < Thread::kLooks ? t.look_count : Thread::kLooks;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Thread::Look& l = t.last_looks[i];
    if (!is_try(l.kind) || l.got || l.step < cycle_begin_) continue;
    tried = true;
    bool waits = false;
    for (std::uint32_t k = 0; k < n; ++k) {
      const Thread::Look& w = t.last_looks[k];
      waits |= is_lock(w.kind) && w.address == l.address && w.step >= cycle_begin_;
    }
    if (!waits) return false;
  }
  return tried;
}

void Scheduler::look_for_cycle(Thread& t) {
  if (leaving_ != kNoThread) return stop_looking();
  if (cycle_ == Cycle::not_yet)
    return start_looking(steps_ - forced_ >= kCycleFrom ? kCycleFor : kForcedFor);
  if (!exact() && is_lock(t.pending.kind)) look_again(t, 0, true);
  t.state = state_of(t);
  if (steps_ > cycle_end_ || timers_ > 0 || t.state == 0) return stop_looking();
  const std::uint64_t h = global_state(t) | 1;
  std::size_t i = h & (kStates - 1);
  while (states_[i] != 0 && states_[i] != h) i = (i + 1) & (kStates - 1);
  if (states_[i] == 0) {
    states_[i] = h;
    return;
  }
  stop_looking();
  for (std::uint32_t k = 0; k < count_; ++k)
    if (!threads_[k].finished && waits_for_what_it_tried(threads_[k])) return;
  if (doubt && doubt(*this, true)) return;
  list_blocked(t.id);
  Problem& p = scratch_;
  p = {};
  p.kind = FindingKind::livelock;
  p.place = {t.id, t.pending.kind, t.pending.pc, recorder_ ? recorder_->event_count() : 0};
  p.address = t.pending.address;
  // It is told at one place, wherever in the circle it was noticed.
  for (std::uint32_t k = count_; k-- > 0;) {
    const Thread& o = threads_[k];
    const Thread::Look* most = o.finished ? nullptr : o.most_in_vain();
    if (!most || most->step < cycle_begin_) continue;
    p.place = {o.id, most->kind, most->pc, p.place.event};
    p.address = most->address;
  }
  std::snprintf(
      p.message, sizeof p.message,
      "the threads go round in a circle: under a fair schedule all of them, and everything "
      "they share, came back to the same state");
  fail(t, p);
}

std::uint64_t Scheduler::global_state(const Thread& t) {
  std::uint64_t h = combine64(t.id, disturbances_);
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Thread& o = threads_[i];
    h = combine64(
        h, o.finished ? 1 : combine64(o.state, o.pending.address ^ (enabled_.has(o.id) ? 1u : 0u)));
  }
  for (const Object& o : objects_) {
    if (o.kind == ObjectKind::none) continue;
    h = combine64(h, combine64(o.owner, o.count) ^ o.waiters);
    std::uint64_t value = 0;
    const std::uint32_t bytes = o.kind == ObjectKind::atomic ? o.limit : 4;
    std::memcpy(&value, reinterpret_cast<const void*>(o.address), bytes <= 8 ? bytes : 8);
    h = combine64(h, value);
  }
  return h;
}

}  // namespace jostle
