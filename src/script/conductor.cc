#include "script/conductor.h"

#include <algorithm>
#include <exception>

#include "runtime/engine.h"
#include "runtime/self.h"
#include "script/mistake.h"
#include "script/names.h"
#include "strategies/registry.h"

namespace jostle::scripts {

using scripting::Others;
using scripting::Place;
using scripting::Threads;
using scripting::Tid;

namespace {

Conductor* g_conductor = nullptr;

void function_hook(Thread& t, std::uint64_t pc, bool enters) {
  Scheduler& s = *t.scheduler;
  Calls& calls = g_conductor->calls();
  if (enters) {
    s.gate_point(t, EventKind::function_enter, calls.enter(t, pc), pc);
    return;
  }
  s.gate_point(t, EventKind::function_return, calls.innermost(t), pc);
  calls.leave(t);
}

}  // namespace

Conductor& conductor() {
  if (!g_conductor)
    throw std::logic_error(
        "this function of jostle::scripting is for scripts: call it from the "
        "function that you pass to jostle::script()");
  return *g_conductor;
}

Conductor::Conductor(const std::function<void()>& script, scripting::Oracle& oracle)
    : script_(script),
      oracle_(oracle),
      snapshot_(kMaxThreads),
      turns_(1u << 18),
      answers_(1u << 16) {
  g_conductor = this;
}

Conductor::~Conductor() { g_conductor = nullptr; }

// --- one execution -------------------------------------------------------------------------------

void Conductor::prepare(Scheduler& scheduler, std::uint64_t index) {
  scheduler_ = &scheduler;
  started_ = finished_ = over_ = held_ = waiting_ = false;
  stuck_.clear();
  mistake_.clear();
  for (ThreadSet* s : {&bound_, &released_, &evaluated_, &ended_, &preferred_, &possible_})
    s->reset();
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

void Conductor::conclude() {
  engine().watch_functions(nullptr);
  scheduler_->set_gate(nullptr);
  const bool failed = scheduler_->outcome().failure.kind != FindingKind::none;
  if (started_ && !finished_ && mistake_.empty() && !failed) {
    const bool cut = snapshot_.size() > 0;
    if (!cut) remember(*scheduler_);
    stuck_ = describe(cut ? "" : "the test has ended");
  }
  over_ = true;
  if (started_) fiber_.resume();  // unwinds
}

void Conductor::run_script(void* self) {
  auto& c = *static_cast<Conductor*>(self);
  try {
    c.script_();
  } catch (const Over&) {
  } catch (const Mistake& m) {
    c.mistake_ = m.what();
  } catch (const std::exception& e) {
    c.mistake_ = "the script threw an exception: " + std::string(e.what());
    if (c.wanted_.at.line())
      c.mistake_ += " (the last line that waited: " + text_of(c.wanted_.at) + ")";
  } catch (...) {
    c.mistake_ = "the script threw an exception";
    if (c.wanted_.at.line())
      c.mistake_ += " (the last line that waited: " + text_of(c.wanted_.at) + ")";
  }
  if (!c.mistake_.empty()) {
    c.remember(*c.scheduler_);
    c.mistake_ = c.describe(c.mistake_);
  }
  c.waiting_ = false;
  if (!c.over_) c.finished_ = c.mistake_.empty();
  // Oracles are still asked for the others.
  while (!c.over_) c.wait_on_fiber();
}

// On the script's stack: until there is something to do for the script itself.
void Conductor::wait_on_fiber() {
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

void Conductor::resume() {
  engine().pause_trap();
  fiber_.resume();
  engine().resume_trap();
}

// --- for the script: runs on its stack -----------------------------------------------------------

bool Conductor::at_event(ThreadId t) const {
  if (t >= scheduler_->thread_count()) return false;
  const Thread& thread = scheduler_->thread(t);
  return !thread.finished && thread.pending.mark == GateMark::seen && !released_.has(t);
}

scripting::Event Conductor::event_of(ThreadId t) const {
  const Op& op = scheduler_->thread(t).pending;
  return {Tid(t), static_cast<std::uint8_t>(op.kind), op.address, op.size, op.pc};
}

scripting::Event Conductor::select(const Threads& threads, const scripting::Predicate& p,
                                   const Place& at) {
  return *wait({threads, p, at, Until::event});
}

std::optional<scripting::Event> Conductor::select_or_block(const Threads& threads,
                                                           const scripting::Predicate& p,
                                                           const Place& at) {
  return wait({threads, p, at, Until::event_or_blocked});
}

void Conductor::wait_unblocked(const Threads& threads, const Place& at) {
  static const scripting::Predicate can_go_on(
      0, [] { return std::string("where it can go on"); },
      [](const scripting::Event&) { return false; });
  wait({threads, can_go_on, at, Until::unblocked});
}

std::optional<scripting::Event> Conductor::wait(const Wanted& wanted) {
  wanted_ = wanted;
  evaluated_.clear();
  for (;;) {
    const std::uint32_t n = scheduler_->thread_count();
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto t = static_cast<ThreadId>(i);
      if (!wanted_.threads.has(Tid(t)) || evaluated_.has(t) || !at_event(t)) continue;
      const scripting::Event e = event_of(t);
      if ((*wanted_.predicate)(e)) {
        bound_.add(t);
        released_.remove(t);
        return e;
      }
      evaluated_.add(t);
    }
    if (turned()) return std::nullopt;
    waiting_ = true;
    wait_on_fiber();
    waiting_ = false;
    if (over_) throw Over();
  }
}

// What is waited for besides an event.
bool Conductor::turned() const {
  switch (wanted_.until) {
    case Until::event_or_blocked:
      return all_blocked();
    case Until::unblocked:
      return !all_blocked();
    default:
      return false;
  }
}

bool Conductor::all_blocked() const {
  for (std::uint32_t i = 0; i < scheduler_->thread_count(); ++i) {
    const Tid t(static_cast<std::uint16_t>(i));
    if (wanted_.threads.has(t) && !is_blocked(t)) return false;
  }
  return true;
}

void Conductor::release(const Threads& threads, const Place& at) {
  wanted_.at = at;
  for (std::uint32_t i = 0; i < scheduler_->thread_count(); ++i) {
    const auto t = static_cast<ThreadId>(i);
    if (!threads.has(Tid(t))) continue;
    if (!bound_.has(t)) {
      if (threads.open()) continue;  // any: those that are held
      throw Mistake(at,
                    "T" + std::to_string(t) + " is released, but the script has not selected it");
    }
    released_.add(t);
  }
}

Threads Conductor::bound_among(const Threads& threads) const {
  Threads out;
  bound_.each([&](ThreadId t) {
    if (threads.has(Tid(t))) out += Tid(t);
  });
  return out;
}

void Conductor::let_go(const Threads& threads, const Place& at) {
  wanted_.at = at;
  for (std::uint32_t i = 0; i < scheduler_->thread_count(); ++i)
    if (const auto t = static_cast<ThreadId>(i); threads.has(Tid(t))) bound_.remove(t);
}

std::uint32_t Conductor::choose(std::uint32_t n) {
  if (n < 2) return 0;
  const std::uint32_t k = oracle_.choose(n);
  return k < n ? k : 0;
}

Tid Conductor::choose_thread(const Threads& threads, const Place& at) {
  std::vector<Tid> live;
  for (std::uint32_t i = 0; i < scheduler_->thread_count(); ++i)
    if (const Tid t(static_cast<std::uint16_t>(i)); threads.has(t) && !has_ended(t))
      live.push_back(t);
  if (live.empty())
    throw Mistake(at, "there is no thread left to choose: " + threads.text() +
                          (threads.open() ? ": all have ended" : " have ended"));
  return live[choose(static_cast<std::uint32_t>(live.size()))];
}

void Conductor::others(const std::string& strategy, const Place& at) {
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

bool Conductor::has_ended(Tid t) const {
  return t.number() < scheduler_->thread_count() &&
         (scheduler_->thread(t.number()).finished || ended_.has(t.number()));
}

scripting::Event Conductor::pending(Tid t, const Place& at) const {
  if (!at_event(t.number()))
    throw Mistake(
        at, Threads(t).text() + " is not before an event" + (has_ended(t) ? ": it has ended" : ""));
  return event_of(t.number());
}

// --- for the scheduler: runs on the stack of a controlled thread ---------------------------------

// Even a std::string may be the program's own, hooks and all: as little as possible is done here.

bool Conductor::admit(Scheduler& s, const View& view, ThreadSet& candidates) {
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
bool Conductor::holds(ThreadId t) const {
  if (ended_.has(t) || scheduler_->thread(t).pending.mark != GateMark::seen) return false;
  if (wanted_.threads.has(Tid(t)) && wanted_.until != Until::unblocked)
    return false;  // its event is not what is wanted: it goes on
  return bound_.has(t) ? !released_.has(t) : others_ == Others::blocked;
}

// Of the threads that are waited for, none is left.
bool Conductor::hopeless() const {
  if (wanted_.threads.open()) return false;
  const std::uint32_t n =
      std::max<std::uint32_t>(scheduler_->thread_count(), wanted_.threads.end());
  for (std::uint32_t i = 0; i < n; ++i) {
    const Tid t(static_cast<std::uint16_t>(i));
    if (wanted_.threads.has(t) && !has_ended(t)) return false;
  }
  return true;
}

void Conductor::nobody_left(Scheduler& s) {
  held_ = true;
  remember(s);
}

void Conductor::begin(const Plan&, const Profile&) {}

ThreadId Conductor::pick(const View& view) {
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

std::uint32_t Conductor::ask_oracle(std::uint32_t n) {
  question_ = n;
  resume();
  return answer_;
}

std::uint32_t Conductor::choose(ChoiceKind kind, std::uint32_t n, const View& view) {
  const InRuntime guard(*t_self);
  const std::uint32_t k = others_ == Others::searched && started_ ? ask_oracle(n)
                          : strategy_                             ? strategy_->choose(kind, n, view)
                                                                  : 0;
  if (!answers_.full()) answers_.push({0, static_cast<std::uint16_t>(k), kind, 0});
  return k;
}

void Conductor::created(ThreadId t, ThreadId parent) {
  if (strategy_) strategy_->created(t, parent);
}
void Conductor::yielded(ThreadId t) {
  if (strategy_) strategy_->yielded(t);
}

void Conductor::performed(const View& view, ThreadId t, const Op& op) {
  if (turns_.size() == 0 || turns_.back().thread != t) {
    if (turns_.full()) return;
    turns_.push({t, 0});
  }
  ++turns_.back().steps;
  if (strategy_ && strategy_->wants_events()) strategy_->performed(view, t, op);
}

// --- what to tell --------------------------------------------------------------------------------

void Conductor::remember(Scheduler& s) {
  snapshot_.clear();
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    const auto t = static_cast<ThreadId>(i);
    const Thread& thread = s.thread(t);
    const bool held = waiting_ ? holds(t) : bound_.has(t) && !released_.has(t);
    snapshot_.push(
        {t, thread.pending, has_ended(Tid(t)), s.enabled(thread) && held, s.enabled(thread)});
  }
}

std::string Conductor::describe(const std::string& why) const {
  std::string text;
  if (mistake_.empty()) {
    text = text_of(wanted_.at) + ": the script cannot go on: it waits for " +
           wanted_.threads.text() + " to come to " +
           (wanted_.predicate ? wanted_.predicate->text() : "an event") + ", and " +
           (!why.empty() ? why
            : hopeless()
                ? wanted_.threads.text() +
                      (wanted_.threads.text().find(',') != std::string::npos ? " have" : " has") +
                      " ended"
                : "nobody who may go on can");
  } else {
    text = why;
  }
  for (const Snapshot& s : snapshot_) {
    const scripting::Event e(Tid(s.thread), static_cast<std::uint8_t>(s.op.kind), s.op.address,
                             s.op.size, s.op.pc);
    text += "\n  T" + std::to_string(s.thread) + " ";
    if (s.ended)
      text += "has ended";
    else
      text += (s.held      ? "is held by the script before: "
               : s.enabled ? "can go on, before: "
                           : "has to wait: ") +
              e.text();
  }
  if (mistake_.empty() && wanted_.predicate)
    text += "\n  accepted: " + wanted_.predicate->text() + ", by " + wanted_.threads.text();
  return text;
}

}  // namespace jostle::scripts
