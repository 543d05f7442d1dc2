#include "script/unit_conductor.h"

#include <cstring>

#include "runtime/engine.h"
#include "runtime/frames.h"
#include "runtime/self.h"
#include "script/mistake.h"
#include "script/names.h"
#include "strategies/registry.h"

namespace jostle::scripts {

using scripting::Others;
using scripting::Place;
using scripting::Tid;

namespace {

UnitConductor* g_conductor = nullptr;

void function_hook(Thread& t, std::uint64_t pc, bool enters) {
  Scheduler& s = *t.scheduler;
  Calls& calls = g_conductor->calls();
  g_conductor->registers(t.id).pc = 0;
  if (enters ? g_arguments : g_results) {
    const InRuntime guard(t);
    registers_at(pc, g_conductor->registers(t.id));
  }
  if (enters) {
    s.gate_point(t, EventKind::function_enter, calls.enter(t, pc), pc);
    return;
  }
  s.gate_point(t, EventKind::function_return, calls.innermost(t), pc);
  calls.leave(t);
}

}  // namespace

UnitConductor::UnitConductor(const std::function<void()>& script, scripting::Oracle& oracle)
    : Conductor(script, oracle),
      registers_(kMaxThreads),
      snapshot_(kMaxThreads),
      turns_(1u << 18),
      answers_(1u << 16) {
  registers_.resize(kMaxThreads);
  g_conductor = this;
}

UnitConductor::~UnitConductor() { g_conductor = nullptr; }

// --- one execution -------------------------------------------------------------------------------

void UnitConductor::prepare(Scheduler& scheduler, std::uint64_t index) {
  scheduler_ = &scheduler;
  reset();
  started_ = held_ = false;
  for (ThreadSet* s : {&ended_, &preferred_, &possible_}) s->reset();
  others_ = Others::free;
  strategy_ = nullptr;
  plan_ = {};
  plan_.seed = index + 1;
  plan_.depth = 3;
  plan_.length = 100;
  snapshot_.clear();
  turns_.clear();
  answers_.clear();
  calls_.reset();
  fiber_.prepare(&run_script, this);
  scheduler.set_gate(this);
  engine().watch_functions(&function_hook);
}

void UnitConductor::conclude() {
  engine().watch_functions(nullptr);
  scheduler_->set_gate(nullptr);
  const bool failed = scheduler_->outcome().failure.kind != FindingKind::none;
  if (started_ && !finished_ && mistake_.empty() && !failed) {
    const bool cut = !snapshot_.empty();
    if (!cut) remember(*scheduler_);
    stuck_ = describe(cut ? "" : "the test has ended", states());
  }
  over_ = true;
  if (started_) fiber_.resume();  // unwinds
}

void UnitConductor::run_script(void* self) {
  auto& c = *static_cast<UnitConductor*>(self);
  c.perform();
  // Oracles are still asked for the others.
  while (!c.over_) c.wait_on_fiber();
}

void UnitConductor::remember_mistake() {
  remember(*scheduler_);
  mistake_ = describe(mistake_, states());
}

void UnitConductor::pause() {
  wait_on_fiber();
  if (over_) throw Over();
}

// On the script's stack: until there is something to do for the script itself.
void UnitConductor::wait_on_fiber() {
  for (;;) {
    fiber_.suspend();
    if (over_ || question_ == 0) return;
    try {
      answer_ = oracle_.choose(question_);
    } catch (...) {
      answer_ = 0;
    }
    if (answer_ >= question_) answer_ = 0;
    question_ = 0;
  }
}

void UnitConductor::resume() {
  engine().pause_trap();
  fiber_.resume();
  engine().resume_trap();
}

// --- for the script: runs on its stack -----------------------------------------------------------

bool UnitConductor::at_event(ThreadId t) const {
  if (t >= scheduler_->thread_count()) return false;
  const Thread& thread = scheduler_->thread(t);
  return !thread.finished && thread.pending.mark == GateMark::seen && !released_.has(t);
}

scripting::Event UnitConductor::event_of(ThreadId t) const {
  const Op& op = scheduler_->thread(t).pending;
  return {Tid(t), static_cast<std::uint8_t>(op.kind), op.address, op.size, op.pc};
}

void UnitConductor::others(const std::string& strategy, const Place& at) {
  const int i = find_strategy(strategy);
  if (i < 0 || strategy == "dfs")
    throw Mistake(at, "others(): '" + strategy +
                          "' is no strategy for this; 'jostle list strategies' names them");
  others_ = Others::free;
  strategy_ = &strategies()[static_cast<std::size_t>(i)].instance();
  strategy_->begin(plan_, Profile());
  for (std::uint32_t t = 0; t < scheduler_->thread_count(); ++t)
    strategy_->created(static_cast<ThreadId>(t),
                       scheduler_->thread(static_cast<ThreadId>(t)).parent);
}

bool UnitConductor::has_ended(Tid t) const {
  return t.number() < scheduler_->thread_count() &&
         (scheduler_->thread(t.number()).finished || ended_.has(t.number()));
}

std::uint64_t UnitConductor::memory(const scripting::Event& e) const {
  std::uint64_t v = 0;
  std::memcpy(&v, reinterpret_cast<const void*>(e.address), e.size);
  return v;
}

namespace {

report::ProcessVariables& variables() {
  static auto& v = *new report::ProcessVariables;
  return v;
}

}  // namespace

report::Parameter UnitConductor::parameter_of(ThreadId t, const std::string& name,
                                              unsigned number) const {
  return variables().parameter(registers_.begin()[t], name, number);
}

report::Parameter UnitConductor::result_of(ThreadId t, Address function) const {
  return variables().result(function, registers_.begin()[t].pc);
}

bool UnitConductor::read_memory(ThreadId, Address raw, std::uint64_t bytes, void* out) const {
  std::memcpy(out, reinterpret_cast<const void*>(raw), bytes);
  return true;
}

// --- for the scheduler: runs on the stack of a controlled thread ---------------------------------

// Even a std::string may be the program's own, hooks and all: as little as possible is done here.

bool UnitConductor::admit(Scheduler& s, const View& view, ThreadSet& candidates) {
  if (finished_) return true;
  const InRuntime guard(*t_self);
  possible_ = candidates;
  bool news = !started_;
  for (std::uint32_t i = 0; i < view.count; ++i) {
    const auto t = static_cast<ThreadId>(i);
    Thread& thread = s.thread(t);
    if (thread.pending.mark != GateMark::fresh || thread.finished) continue;
    thread.pending.mark = GateMark::seen;
    released_.remove(t);
    evaluated_.remove(t);
    if (thread.pending.kind == EventKind::thread_exit) ended_.add(t);
    if (!waiting_ || !wanted_.threads.has(Tid(t))) continue;
    if (wanted_.predicate->kinds() >> static_cast<unsigned>(thread.pending.kind) & 1)
      news = true;
    else
      evaluated_.add(t);
  }
  if (news || (waiting_ && turned())) {
    started_ = true;
    resume();
    if (finished_) return true;
    if (!mistake_.empty()) return false;
  }
  if (hopeless()) {
    remember(s);
    return false;
  }
  ThreadSet held;
  held.reset();
  candidates.each([&](ThreadId t) {
    if (holds(t)) held.add(t);
  });
  held_ = !held.empty();
  candidates.remove_all(held);
  return true;
}

// Before an event that it may not perform now.
bool UnitConductor::holds(ThreadId t) const {
  if (ended_.has(t) || scheduler_->thread(t).pending.mark != GateMark::seen) return false;
  if (wanted_.threads.has(Tid(t)) && wanted_.until != Until::unblocked)
    return false;  // its event is not what is wanted: it goes on
  return bound_.has(t) ? !released_.has(t) : others_ == Others::blocked;
}

void UnitConductor::nobody_left(Scheduler& s) {
  held_ = true;
  remember(s);
}

void UnitConductor::begin(const Plan&, const Profile&) {}

ThreadId UnitConductor::pick(const View& view) {
  const InRuntime guard(*t_self);
  const ThreadSet& c = view.enabled();
  ThreadId ending = kNoThread;
  c.each([&](ThreadId t) {
    if (ending == kNoThread && ended_.has(t)) ending = t;
  });
  if (ending != kNoThread) return ending;  // it only lets others join it
  if (others_ == Others::searched) return c.nth(ask_oracle(c.count()));
  View narrowed = view;
  if (!finished_) {
    // Who was released makes the step that the script wants first; then those who may bring about
    // what it waits for.
    const auto prefer = [&](auto what) {
      preferred_.reset();
      c.each([&](ThreadId t) {
        if (what(t) && !(view.runner_yields() && t == view.running)) preferred_.add(t);
      });
    };
    prefer([&](ThreadId t) { return released_.has(t) && !wanted_.threads.has(Tid(t)); });
    if (preferred_.empty()) prefer([&](ThreadId t) { return wanted_.threads.has(Tid(t)); });
    if (!preferred_.empty()) narrowed.candidates = &preferred_;
  }
  return strategy_ ? strategy_->pick(narrowed) : standard_choice(narrowed);
}

std::uint32_t UnitConductor::ask_oracle(std::uint32_t n) {
  question_ = n;
  resume();
  return answer_;
}

std::uint32_t UnitConductor::choose(ChoiceKind kind, std::uint32_t n, const View& view) {
  const InRuntime guard(*t_self);
  const std::uint32_t k = others_ == Others::searched && started_ ? ask_oracle(n)
                          : strategy_                             ? strategy_->choose(kind, n, view)
                                                                  : 0;
  if (!answers_.full()) answers_.push({0, static_cast<std::uint16_t>(k), kind, 0});
  return k;
}

void UnitConductor::created(ThreadId t, ThreadId parent) {
  if (strategy_) strategy_->created(t, parent);
}
void UnitConductor::yielded(ThreadId t) {
  if (strategy_) strategy_->yielded(t);
}

void UnitConductor::performed(const View& view, ThreadId t, const Op& op) {
  if (turns_.empty() || turns_.back().thread != t) {
    if (turns_.full()) return;
    turns_.push({t, 0});
  }
  ++turns_.back().steps;
  if (strategy_ && strategy_->wants_events()) strategy_->performed(view, t, op);
}

// --- what to tell --------------------------------------------------------------------------------

void UnitConductor::remember(Scheduler& s) {
  snapshot_.clear();
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    const auto t = static_cast<ThreadId>(i);
    const Thread& thread = s.thread(t);
    const bool held = waiting_ ? holds(t) : bound_.has(t) && !released_.has(t);
    snapshot_.push(
        {t, thread.pending, has_ended(Tid(t)), s.enabled(thread) && held, s.enabled(thread)});
  }
}

std::vector<Conductor::State> UnitConductor::states() const {
  std::vector<State> all;
  for (const Snapshot& s : snapshot_)
    all.push_back(
        {s.thread,
         {Tid(s.thread), static_cast<std::uint8_t>(s.op.kind), s.op.address, s.op.size, s.op.pc},
         s.ended,
         s.held,
         s.enabled});
  return all;
}

}  // namespace jostle::scripts
