// The scheduler of one process under test.
//
// One thread of the program runs at a time. It calls in here, on its own stack, at every
// operation:
//
//   announce   t.pending = the operation; if it cannot be performed now, t leaves `enabled`
//   decide     point(t) or block(t): the strategy picks a thread among those that can go on; if
//              it is another one, the backend switches to it
//   perform    when point()/block() return, t was picked and its operation is possible: the
//              model changes its state and calls performed()
//
// What must hold: between two scheduling points nobody else runs, so models need no locks. A
// thread that is not in `enabled` is in exactly one wait: an object's `pending` set, an object's
// queue, or a deadline. Whoever makes its operation possible puts it back.
//
// Nothing here allocates, throws, or calls into the program.
#pragma once

#include "base/bits.h"
#include "base/mapped.h"
#include "events/outcome.h"
#include "events/plan.h"
#include "sched/access_log.h"
#include "sched/gate.h"
#include "sched/object.h"
#include "sched/recorder.h"
#include "sched/shadow.h"
#include "sched/step_log.h"
#include "sched/strategy.h"
#include "sched/thread.h"

namespace jostle {

// How control moves between threads. Tables, not virtual functions: one per process.
struct Backend {
  // Stops `from` and continues `to`; returns when somebody switches back to `from`.
  void (*switch_to)(Thread& from, Thread& to);
  // The execution is over: continues whoever called run(). Never returns.
  void (*leave)(Thread& from);
  // Call stack of the calling thread, innermost first, from the frame with return address `pc`.
  std::size_t (*stack)(std::uint64_t pc, std::uint64_t* pcs, std::size_t room);
  // The same of a thread that has stopped; only while recording.
  std::size_t (*stack_of)(const Thread& t, std::uint64_t pc, std::uint64_t* pcs, std::size_t room);
  // The call, on any stack, in whose frame `address` lies; false if in none. Asked only just after
  // stack(), by the same thread.
  bool (*frame)(Address address, StackFrame& out);
  // Hash of everything a thread could use to behave differently from here on, except shared
  // memory: callee-saved registers and stack above the hook with return address `pc`; 0 if it
  // cannot be told. `place`: the same of pc and from where that was called, a few calls deep.
  std::uint64_t (*state)(Thread& t, std::uint64_t pc, std::uint64_t& place);
  // From now on every plain write of the program to memory other than its thread's stack is
  // told by disturbed(); or no longer.
  void (*watch_writes)(bool on);
};

// Fixed for a whole run.
struct Settings {
  Preempt preempt = Preempt::race;
  Bounds bounds;
  bool races = true;
  bool heap = true;
  bool whole_program = false;   // the end of the first thread is not the end of a test
  bool output_matters = false;  // what is printed on the standard streams is compared
  // Plain writes are told. Where they are not, a thread may count in memory that nobody sees, and
  // nothing that looks like a repetition is sure to be one.
  bool sees_writes = true;
};

class Scheduler {
 public:
  Scheduler();

  // --- life of an execution -------------------------------------------------------------
  void configure(const Settings& s) { settings_ = s; }
  const Settings& settings() const { return settings_; }
  void set_backend(const Backend* b) { backend_ = b; }
  // Starts an execution with no threads; the first add_thread() makes the body's.
  void begin(const Plan& plan, const Profile& profile, Strategy& strategy, Recorder* recorder);
  // Null when there are kMaxThreads already.
  Thread* add_thread(Thread* parent);
  // The calling thread has ended; does not return.
  [[noreturn]] void finish(Thread& t);
  // The execution has failed; does not return.
  [[noreturn]] void fail(Thread& t, const Problem& p);
  // The execution is over without a verdict; does not return.
  [[noreturn]] void stop(Thread& t) { leave(t); }
  // t is about to end the program, and all other threads with it. What they could do before has its
  // chance first: returns when it is time.
  void before_the_end(Thread& t, std::uint64_t pc);
  // Nobody wants to know how it ends: the next step does not return. May be called by a handler of
  // a signal.
  void give_up() {
    given_up_ = true;
    most_steps_ = 0;
  }
  bool given_up() const { return given_up_; }
  // The same at once.
  [[noreturn]] void leave_given_up(Thread& t) {
    outcome_.given_up = true;
    leave(t);
  }
  Problem& problem() { return scratch_; }  // to be filled for fail() without using much stack
  const Outcome& outcome() const { return outcome_; }
  Outcome& outcome() { return outcome_; }

  // --- one step ---------------------------------------------------------------------------
  // Precondition: t runs and its pending operation can be performed.
  void point(Thread& t) {
    if (JOSTLE_UNLIKELY(++steps_ > most_steps_)) over_limit(t);
    if (JOSTLE_UNLIKELY(t.sealed != 0)) return sealed();
    if (JOSTLE_LIKELY(simple_) && enabled_.only(t.id)) return;
    reschedule(t);
  }
  // The same for an operation that may turn out to change nothing. Where the schedule is exact, a
  // thread that is back in the state in which it looked before, and would see the same, waits.
  void look(Thread& t) {
    if (!parks(t)) point(t);
  }
  // True: it has waited, and was picked.
  bool parks(Thread& t) {
    if (JOSTLE_LIKELY(patience_ != Plan::kExact) || !would_repeat(t)) return false;
    park(t);
    return true;
  }
  // The schedule is exact: see Plan::kExact. Then even looking whether an object may be destroyed
  // is a scheduling point.
  bool exact() const { return patience_ == Plan::kExact; }
  // Precondition: t runs and has left `enabled`.
  void block(Thread& t);
  // t has gone on for long without any operation of the scheduler's: perhaps it waits for a plain
  // variable, so the others go first. Sets t.fuel: the longer it only computes, the more it gets.
  Event* forced_point(Thread& t);
  static void refuel(Thread& t) { t.fuel = kFuel; }
  // t cannot usefully go on before others have: it is not offered in the next decision.
  void yield(Thread& t);
  // t does not wait for o as long as it takes. Who takes it again and again is parked meanwhile, so
  // that t will not find it taken, though it could.
  void may_give_up(Object& o) {
    if (JOSTLE_UNLIKELY(o.polled) && log_)
      log_->cannot_tell("tries to take a lock that another thread takes again and again");
  }
  void enable(Thread& t) {
    t.wait = Wait::none;
    enabled_.add(t.id);
  }
  void disable(Thread& t, Wait w) {
    t.wait = w;
    enabled_.remove(t.id);
  }
  bool enabled(const Thread& t) const { return enabled_.has(t.id); }

  void announce(Thread& t, EventKind kind, Address a, std::uint64_t pc, std::uint32_t size = 0,
                std::uint8_t order = 0) {
    t.pending = {
        kind, order, static_cast<std::uint16_t>(size > 0xffff ? 0xffff : size), GateMark::fresh,
        pc,   a};
  }

  // Call it once for each operation that took effect. `o` may be null.
  Event* performed(Thread& t, Object* o) {
    if (JOSTLE_UNLIKELY(exact())) count_change(t, o);
    ++stamp_;
    t.spins = 0;
    t.yields = 0;
    t.slices = 0;
    Event* e = note(t, o, Effect::changed);
    t.read_count = 0;
    t.parked_since = 0;
    return e;
  }
  // The same for a lock that t has taken, or given back. Where the schedule is exact, a loop that
  // does no more than both may still be one that only repeats itself.
  Event* took(Thread& t, Object& o, EventKind kind) {
    if (JOSTLE_LIKELY(patience_ != Plan::kExact)) return performed(t, &o);
    return holds(t, o, kind, true);
  }
  Event* gave(Thread& t, Object& o, EventKind kind) {
    if (JOSTLE_LIKELY(patience_ != Plan::kExact)) return performed(t, &o);
    return holds(t, o, kind, false);
  }
  // The same for one that neither changes nor reads anything, such as a yield.
  Event* noted(Thread& t) { return note(t, nullptr, Effect::nothing); }
  // The same for an operation that changed nothing (a load, a failed try): what it read is
  // compared with what it read before, and a thread that only repeats itself yields.
  Event* observed(Thread& t, Object* o, std::uint64_t value);

  // Before performed(), of an atomic: so that a loop is known that undoes what it has done.
  void changes(Thread& t, const Object& o, std::uint64_t from, std::uint64_t to) {
    if (JOSTLE_UNLIKELY(exact())) t.net += combine64(o.address, to) - combine64(o.address, from);
  }

  // Extra events for the reader of a trace; null unless recording.
  Event* mark(Thread& t, EventKind kind, Address a, std::uint64_t pc) {
    return JOSTLE_UNLIKELY(recorder_ != nullptr) ? record(t, kind, a, pc) : nullptr;
  }
  // Who holds threads back from now on; null: nobody.
  void set_gate(Gate* gate) { gate_ = gate; }
  Gate* gate() { return gate_; }
  // Something that only a gate cares about is about to happen: it can hold t here. Nothing is
  // performed, and schedules do not know of it.
  void gate_point(Thread& t, EventKind kind, Address a, std::uint64_t pc) {
    announce(t, kind, a, pc);
    point(t);
  }
  // Where the steps of executions are entered from now on; null: nowhere.
  void set_log(StepLog* log) {
    log_ = log;
    put_away_ = nullptr;
  }
  StepLog* log() { return log_; }
  // The same for what coverage is computed from. Plain accesses that are no scheduling points are
  // entered by the hooks: see Engine::log_accesses().
  void set_access_log(AccessLog* log) { accesses_ = log; }
  AccessLog* access_log() const { return accesses_; }
  bool recording() const { return recorder_ != nullptr; }
  Recorder* recorder() { return recorder_; }

  // A plain write was made while the scheduler watches.
  void disturbed(Thread& t) {
    ++t.disturbances;
    ++disturbances_;
    t.parked_since = 0;
  }

  // --- choices ----------------------------------------------------------------------------
  std::uint32_t choose(Thread& t, ChoiceKind kind, std::uint32_t n);
  // A weak compare-exchange: does it fail for no reason? `matches`: it could succeed.
  bool weak_cas_fails(Thread& t, bool matches);

  // --- waiting queues and time ------------------------------------------------------------
  void enqueue(Object& o, Thread& t);
  void dequeue(Object& o, Thread& t);
  // Wakes one waiter, chosen by the schedule; null if there is none.
  Thread* wake_one(Thread& by, Object& o);
  Thread* wake(Object& o, Thread& w);
  // Puts t to sleep until woken or, if `deadline` is not 0, until then. Returns when t runs
  // again. `resume` decides what waking means (default: t is enabled).
  void wait_in(Object& o, Thread& t, std::uint64_t deadline,
               void (*resume)(Scheduler&, Thread&) = nullptr);
  void sleep_until(Thread& t, std::uint64_t deadline);
  // What t's clock shows. It stands still but for what runs out, and for being read: each thread
  // sees the time that its own reads have taken, and those that it knows of from what it has shared
  // with their threads. So it never goes back, and two threads that read it do not depend on each
  // other. Where the schedule is exact, the same holds for what runs out.
  std::uint64_t now(const Thread& t) const { return now_ + t.ahead; }
  std::uint64_t read_clock(Thread& t);
  // t is parked no longer: if it was about to take a lock, it waits for that as others do.
  void unpark(Thread& t);
  // t waits for a lock-like object, with a deadline: see Wait::timed.
  void arm(Thread& t, std::uint64_t deadline);
  void disarm(Thread& t);

  // --- happens-before ---------------------------------------------------------------------
  void acquire(Thread& t, const Clock& c) {
    for (std::uint32_t i = 0; i < c.length; ++i)
      if (c.at[i] > t.clock[i]) t.clock[i] = c.at[i];
  }
  void release(Thread& t, Clock& c) {  // c = what t knows
    room(c);
    const std::uint32_t n = count_;
    for (std::uint32_t i = 0; i < n; ++i) c.at[i] = t.clock[i];
    c.length = n;
    tick(t);
  }
  void release_join(Thread& t, Clock& c);  // c = c joined with what t knows
  void join_into(Clock& to, const Epoch* from, std::uint32_t length);
  void tick(Thread& t) { t.epoch = t.clock[t.id] += kTick; }
  void learn(Thread& t, const Thread& of) {
    for (std::uint32_t i = 0; i < count_; ++i)
      if (of.clock[i] > t.clock[i]) t.clock[i] = of.clock[i];
    if (of.ahead > t.ahead) t.ahead = of.ahead;
  }
  void room(Clock& c);
  Arena& arena() { return arena_; }

  // --- objects, threads, findings ---------------------------------------------------------
  Shadow& shadow() { return shadow_; }
  ObjectTable& objects() { return objects_; }
  Thread& thread(ThreadId t) { return threads_[t]; }
  std::uint32_t thread_count() const { return count_; }
  std::uint32_t live() const { return live_ - helpers_; }  // threads that have not ended
  // t is Jostle's own: the program does not know it, and goes on or ends without it.
  void helps(Thread& t) {
    t.helper = true;
    ++helpers_;
  }
  Thread& running() { return threads_[view_.running]; }
  Epoch base() const { return base_; }
  std::uint32_t steps() const { return steps_; }
  std::uint32_t forced_points() const { return forced_; }  // of those: see forced_point()
  std::uint64_t signature() const { return signature_; }   // of the order of operations so far
  const Backend& backend() const { return *backend_; }
  // Places at which the running thread is not preempted; null: none.
  bool (*sealed_place)(Thread& t, std::uint64_t pc) = nullptr;
  // Called when a thread has operated on a synchronisation object in a heap block that was freed in
  // this execution; does not return. Null: nobody wants to know.
  void (*on_freed)(Thread& t, Address a, std::uint64_t pc) = nullptr;
  bool robust_mutexes = false;  // one was used in this execution
  // Asked before a deadlock is told, or that threads spin for ever: why it may not be so, or null.
  const char* (*doubt)(Scheduler&, bool spins) = nullptr;
  // While somebody waits for the world outside. `last_resort` is asked when nobody can go on, or
  // nobody unless time passes; null: nobody waits. `moment` gives the world outside a moment, if
  // the strategy asks for it; null: there were moments enough. True: it has enabled a thread.
  using LastResort = bool (*)(Scheduler&, bool time_can_pass);
  using Moment = bool (*)(Scheduler&);
  // `somebody`: not only Jostle itself, just in case.
  void await_outside(LastResort last_resort, Moment moment, bool somebody = true) {
    last_resort_ = last_resort;
    moment_ = moment;
    awaited_ = somebody && last_resort != nullptr;
    settle();
  }

  // Behaviours: pairs of operations on one object by different threads, one after the other,
  // hashed to a number. Those of this execution that are not in the set of known ones:
  std::uint32_t new_behaviours() const { return new_behaviours_; }
  std::uint32_t new_behaviour(std::uint32_t i) const { return fresh_[i]; }
  static constexpr std::uint32_t kBehaviours = 1u << 16;
  bool know(std::uint32_t behaviour) {  // true if it was new
    std::uint64_t& w = behaviours_[behaviour >> 6];
    const std::uint64_t m = 1ull << (behaviour & 63);
    const bool was = w & m;
    w |= m;
    return !was;
  }
  void forget_behaviours() {
    for (auto& w : behaviours_) w = 0;
  }
  // --- several processes: see runtime/family.h -------------------------------------------------
  // What the processes that make an execution together count together.
  struct Common {
    std::uint32_t steps, count, decision, switches, preemptions, timeouts, spurious, weak_cas;
    std::uint64_t now, ahead, signature;
  };
  Common common() const;
  // An object in memory that they share, as far as its primitive's model goes.
  struct SharedObject {
    static constexpr std::uint32_t kThreads = 32;
    Address address;
    ObjectKind kind;
    bool dead_owner, unrecoverable;
    ThreadId owner;
    std::uint16_t type;
    std::uint32_t count, limit, waiters, readers;
    std::uint64_t round, acquired_pc;
    ThreadId waiter[kThreads], reader[kThreads];
  };
  // False: it is none, or has more threads than there is room for.
  bool describe(const Object& o, SharedObject& out) const;
  void adopt(const SharedObject& o);
  // Called until the end of the execution when a thread has operated on an object: there are other
  // processes.
  void tell_operations(void (*operated)(const Object& o)) {
    operated_ = operated;
    settle();
  }
  // A thread of this process was woken by another one. Those of others that were woken here:
  void wake_here(Thread& t);
  ThreadSet woken_elsewhere;
  // As another process has left it; threads that were made there are elsewhere.
  void adopt(const Common& c);
  // There will be another process. What the strategy shares with it.
  void* share();
  // It was forked. Here: `first`, its first thread, stands for it from now on.
  void leave_to_another(Thread& first);
  // There: `first` is what t was, and nobody else is here.
  void go_on_as(Thread& first, const Thread& t, std::uint32_t process);
  // There, if it has become another program: this thread of the execution is what t is, which the
  // new program has begun with. Afterwards as above.
  Thread& come_as(const Common& c, ThreadId first, ThreadId parent, std::uint64_t path);
  void adopt_strategy(void* shared) { strategy_->adopt(shared); }
  // Somebody in the process whose first thread that is can go on, or nobody.
  void stand_for(Thread& first, bool can_go_on);
  // Can anybody of this process go on, if need be because time passes for a sleeper?
  bool anybody_here() const;
  std::uint64_t earliest_deadline() const;  // 0: nobody waits for time to pass
  void back_to(const Thread& t) { view_.running = t.id; }
  // Who goes on, now that it is this process's turn again; `last` did when it was.
  Thread& take_up(Thread& last);
  // For the report of a deadlock: who of this process waits for what.
  void list_blocked(ThreadId only_spinning);
  // Of those that it waits for, one that says most: itself, or one that waits for it in turn.
  ThreadId who_blocks(const Thread& t);

  void set_image(std::uint64_t base) { image_ = base; }
  std::uint64_t image() const { return image_; }
  const Profile& measured() const { return measured_; }
  void measure(bool on) { measuring_ = on; }

 private:
  void reschedule(Thread& t);
  void sealed() {
    if (log_) log_->merge = true;
  }
  void give_way(Thread& t);
  void give_way_to_longest();
  void go_on_with(Thread& t, ThreadId n);
  ThreadId next();
  ThreadId next_attended();
  bool nobody_but_leaver();
  ThreadId ask_strategy(const ThreadSet& c);
  void settle();
  void gather();
  const ThreadSet& candidates();
  void pass_gate();
  void fire(ThreadId n, bool idle);
  ThreadId earliest() const;
  // Threads whose time may run out next: deadlines so near to each other come in any order.
  static constexpr std::uint64_t kTimerSlack = 50'000;
  template <class F>
  void each_timer(F f) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Thread& t = threads_[i];
      if ((t.wait == Wait::timed || t.wait == Wait::sleeping) && !t.finished) f(t);
    }
  }
  template <class F>
  void each_due(F f) const {
    const std::uint64_t last = threads_[earliest()].deadline + kTimerSlack;
    each_timer([&](const Thread& t) {
      if (t.deadline <= last) f(t);
    });
  }
  bool may_be_early(const Thread& t) const {
    return timeouts_ < settings_.bounds.timeouts && !t.patient;
  }
  void gather_timers(bool nobody_else);
  void timers_first();
  void add_timers();
  void pass_time(Thread& t);
  void clocks_differ();
  void carry_time(Thread& t, Object* o, Effect effect);
  [[noreturn]] void stuck();
  [[noreturn]] void over_limit(Thread& t);
  [[noreturn]] void leave(Thread& t);
  void close_log();
  void body_ended(Thread& t);
  void record_wait(const Thread& t);
  Place place_of_wait(const Thread& t) const;
  Event* note(Thread& t, Object* o, Effect effect);
  Event* note_attended(Thread& t, Object* o, Effect effect, std::uint32_t behaviour);
  Event* tell_strategy(const Thread& t);
  bool freed(const Object& o) const { return o.cell->freed && o.cell->write > base_; }
  void complete_write(Thread& t);
  Event* record(Thread& t, EventKind kind, Address a, std::uint64_t pc);
  std::uint32_t frame_of(Address a);
  void measure_event(Thread& t);
  // A number for a code location that is the same in every process: libraries lie elsewhere each
  // time, but always at whole pages.
  std::uint64_t place(std::uint64_t pc) const {
    const std::uint64_t offset = pc - image_;
    return offset < (1ull << 32) ? offset : pc & 0xfff;
  }
  static constexpr std::uint32_t kNoBehaviour = ~0u;
  void behave(std::uint32_t bit);
  std::uint64_t state_of(Thread& t) {
    std::uint64_t place;
    return state_of(t, place);
  }
  std::uint64_t state_of(Thread& t, std::uint64_t& place);
  bool would_repeat(Thread& t);
  struct Turn {
    std::uint32_t in_vain;  // times in a row that it has seen the same at this place
    bool relocked, undone;
  };
  Turn look_again(Thread& t, std::uint64_t value, bool got = false);
  void count_change(Thread& t, const Object* o);
  void leave_out(Thread& t);
  void hold_back(Thread& t);
  bool resume_held_back();
  bool follow_left_out();
  ThreadId next_beyond(const ThreadSet& c) const;
  bool can_park(const Thread& t) const;
  void park(Thread& t);
  bool changed(const Thread::Read& r);
  bool changed(const Thread& parked);
  bool lock_is_free(const Thread& parked);
  Event* holds(Thread& t, Object& o, EventKind kind, bool now);
  void wait_instead();
  void watch(bool on);
  void look_for_cycle(Thread& t);
  void start_looking(std::uint32_t steps);
  void stop_looking();
  bool waits_for_what_it_tried(const Thread& t) const;
  std::uint64_t global_state(const Thread& t);

  Settings settings_;
  const Backend* backend_ = nullptr;
  Strategy* strategy_ = nullptr;
  Recorder* recorder_ = nullptr;
  StepLog* log_ = nullptr;
  StepLog* put_away_ = nullptr;  // the log, once the execution has gone beyond a bound
  Gate* gate_ = nullptr;
  AccessLog* accesses_ = nullptr;
  bool strategy_wants_events_ = false;
  bool measuring_ = false;

  View view_;
  ThreadSet enabled_, mixed_;
  ThreadSet in_time_;   // of those: whose limit is the next to pass, since nobody else is left
  bool simple_ = true;  // the candidates are exactly `enabled_`
  // Kept by settle(), so that the way of most steps is short: nobody but the strategy has to do
  // with decisions; with what was performed.
  bool plain_decisions_ = false, plain_steps_ = false;
  LastResort last_resort_ = nullptr;
  Moment moment_ = nullptr;
  bool awaited_ = false;
  void (*operated_)(const Object& o) = nullptr;
  std::uint32_t parked_ = 0, held_back_ = 0;
  std::uint32_t timers_ = 0, timeouts_ = 0, spurious_ = 0, weak_cas_ = 0;
  std::uint32_t patience_ = 0, more_patience_ = 0, forced_ = 0;
  // Steps after which whoever has waited longest, although it could go on, goes first.
  static constexpr std::uint32_t kUnfair = 20'000;
  // Accesses between two points of a thread that only computes, at first.
  static constexpr std::uint32_t kFuel = 4096;
  std::uint32_t since_fair_ = 0;
  ThreadId overdue_ = kNoThread;  // who goes first for that, at the next decision
  std::uint32_t steps_ = 0, count_ = 0, live_ = 0, helpers_ = 0, decision_ = 0;
  std::uint64_t stamp_ = 0, now_ = 0, signature_ = 0;
  bool clocks_differ_ = false;
  std::uint64_t outside_ahead_ = 0;  // Thread::ahead of whatever is shared outside the program
  bool body_over_ = false;
  bool given_up_ = false;
  ThreadId leaving_ = kNoThread;  // who ends the program
  // Where the schedule is exact, the most steps that others make meanwhile.
  static constexpr std::uint32_t kLingering = 10'000;
  bool beyond_ = false;  // see follow_left_out()
  std::uint32_t beyond_from_ = 0;
  std::uint32_t most_steps_ = 0;  // before the execution is cut
  Epoch base_ = kTick;

  Shadow shadow_;
  ObjectTable objects_;
  MappedVector<Thread> threads_;
  Arena arena_;
  // Repeated reads after which a thread may be in a loop for ever.
  static constexpr std::uint32_t kLongSpin = 32;
  // Times that a lock is taken at one place before it is worth knowing whether that is a loop that
  // does nothing else.
  static constexpr std::uint32_t kManyTurns = 16;
  // How far threads that were left out are followed; how often one that is alone may look in vain.
  // A loop that gives up later is taken for one that never does.
  static constexpr std::uint32_t kBeyond = 2'000'000;
  // How often one that was held back may look in vain once it goes on.
  static constexpr std::uint32_t kResumed = 2000;
  // Whose every so many steps are such a look spins; after how many its state is not looked at.
  static constexpr std::uint32_t kSpinning = 16, kManyLooks = 1000;
  // When an execution is long enough to be looked at for a livelock, and for how long.
  static constexpr std::uint32_t kCycleFrom = 10'000, kCycleFor = 10'000;
  // The same for threads that only compute: forced points are far apart, and a short look will do.
  static constexpr std::uint32_t kForcedFrom = 500, kForcedFor = 100;
  // The same for threads that were left out; and how long they take turns afterwards.
  static constexpr std::uint32_t kLeftOutFor = 500, kTurnByTurn = 500;
  // Long executions are looked at for a while under a fair schedule: a state of all threads and
  // objects that comes back is a livelock.
  enum class Cycle : std::uint8_t { not_yet, looking, over } cycle_ = Cycle::not_yet;
  std::uint64_t disturbances_ = 0;
  bool watching_ = false;    // plain writes are told
  bool spin_watch_ = false;  // because a thread spins: until the end of the execution
  std::uint32_t cycle_begin_ = 0, cycle_end_ = 0;
  static constexpr std::size_t kStates = 1u << 15;
  MappedVector<std::uint64_t> states_;
  Outcome outcome_;
  Problem scratch_;

  std::uint64_t image_ = 0;
  static constexpr std::uint32_t kFresh = 64;
  std::uint32_t new_behaviours_ = 0;
  std::uint32_t fresh_[kFresh] = {};
  std::uint64_t behaviours_[kBehaviours / 64] = {};
  Profile measured_;
};

}  // namespace jostle
