#include "script/conductor.h"

#include <algorithm>
#include <exception>

#include "events/kinds.h"
#include "script/epilogue.h"
#include "script/mistake.h"
#include "script/names.h"

namespace jostle::scripts {

using scripting::Place;
using scripting::Threads;
using scripting::Tid;

bool g_arguments = false, g_results = false;

namespace {
Conductor* g_conductor = nullptr;
}

Conductor& conductor() {
  if (!g_conductor)
    throw std::logic_error(
        "this function of jostle::scripting is for scripts: call it from the "
        "function that you pass to jostle::script()");
  return *g_conductor;
}

Conductor::Conductor(const std::function<void()>& script, scripting::Oracle& oracle)
    : script_(script), oracle_(oracle) {
  g_conductor = this;
}

Conductor::~Conductor() { g_conductor = nullptr; }

void Conductor::reset() {
  finished_ = over_ = waiting_ = false;
  stuck_.clear();
  mistake_.clear();
  wanted_ = {};
  for (ThreadSet* s : {&bound_, &released_, &evaluated_}) s->reset();
}

void Conductor::perform() {
  const auto threw = [&](const std::string& what) {
    mistake_ = "the script threw an exception" + what;
    if (wanted_.at.line()) mistake_ += " (the last line that waited: " + text_of(wanted_.at) + ")";
  };
  try {
    script_();
  } catch (const Over&) {
  } catch (const Mistake& m) {
    mistake_ = m.what();
  } catch (const std::exception& e) {
    threw(": " + std::string(e.what()));
  } catch (...) {
    threw("");
  }
  if (!mistake_.empty()) remember_mistake();
  waiting_ = false;
  if (!over_) finished_ = mistake_.empty();
}

// --- for the script: runs on its stack -----------------------------------------------------------

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
  begin_wait();
  for (;;) {
    const std::uint32_t n = thread_count();
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
    pause();
    waiting_ = false;
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
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    const Tid t(static_cast<std::uint16_t>(i));
    if (wanted_.threads.has(t) && !is_blocked(t)) return false;
  }
  return true;
}

bool Conductor::hopeless() const {
  if (wanted_.threads.open()) return false;
  const std::uint32_t n = std::max<std::uint32_t>(thread_count(), wanted_.threads.end());
  for (std::uint32_t i = 0; i < n; ++i) {
    const Tid t(static_cast<std::uint16_t>(i));
    if (wanted_.threads.has(t) && !has_ended(t)) return false;
  }
  return true;
}

void Conductor::release(const Threads& threads, const Place& at) {
  wanted_.at = at;
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    const auto t = static_cast<ThreadId>(i);
    if (!threads.has(Tid(t))) continue;
    if (!bound_.has(t)) {
      if (threads.open()) continue;  // any: those that are held
      throw Mistake(at, name_of(t) + " is released, but the script has not selected it");
    }
    released_.add(t);
  }
  for (std::uint32_t i = thread_count(); !threads.open() && i < threads.end(); ++i)
    if (const Tid t(static_cast<std::uint16_t>(i)); threads.has(t))
      throw Mistake(at, Threads(t).text() + " is released, but there is no such thread yet");
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
  for (std::uint32_t i = 0; i < thread_count(); ++i)
    if (const auto t = static_cast<ThreadId>(i); threads.has(Tid(t))) bound_.remove(t);
}

std::uint32_t Conductor::choose(std::uint32_t n) {
  if (n < 2) return 0;
  const std::uint32_t k = oracle_.choose(n);
  return k < n ? k : 0;
}

Tid Conductor::choose_thread(const Threads& threads, const Place& at) {
  std::vector<Tid> live;
  for (std::uint32_t i = 0; i < thread_count(); ++i)
    if (const Tid t(static_cast<std::uint16_t>(i)); threads.has(t) && !has_ended(t))
      live.push_back(t);
  if (live.empty())
    throw Mistake(at,
                  "there is no thread left to choose among " + threads.text() + ": all have ended");
  if (live.size() > 1) {
    std::vector<scripting::Event> events;
    events.reserve(live.size());
    for (const Tid t : live)
      events.push_back(at_event(t.number()) ? event_of(t.number())
                                            : scripting::Event(t, 0, 0, 0, 0));
    oracle_.offer(events);
  }
  return live[choose(static_cast<std::uint32_t>(live.size()))];
}

scripting::Event Conductor::pending(Tid t, const Place& at) const {
  if (!at_event(t.number()))
    throw Mistake(
        at, Threads(t).text() + " is not before an event" + (has_ended(t) ? ": it has ended" : ""));
  return event_of(t.number());
}

namespace {

std::int64_t number(std::uint64_t v, const report::Parameter& p) {
  const unsigned unused = static_cast<unsigned>(64 - 8 * p.size);
  v <<= unused;
  return p.is_signed ? static_cast<std::int64_t>(v) >> unused
                     : static_cast<std::int64_t>(v >> unused);
}

}  // namespace

std::int64_t Conductor::argument(const scripting::Event& e, const std::string& name,
                                 unsigned position, const Place& at) const {
  const std::string what = "the argument " + (name.empty() ? std::to_string(position) : name);
  const auto fail = [&](const std::string& why) {
    throw Mistake(at, what + " of '" + e.function() + "' cannot be told: " + why);
  };
  if (e.kind() != static_cast<std::uint8_t>(EventKind::function_enter))
    throw Mistake(at, what + " is asked for, and the thread is before: " + e.text());
  const ThreadId t = e.thread.number();
  if (registers_of(t).pc == 0)
    fail(
        "the script has not said before that it asks for arguments: with argument(...) in a "
        "predicate");
  const report::Parameter p = parameter_of(t, name, position);
  if (!p.problem.empty()) fail(p.problem);
  std::uint64_t v = p.value;
  if (p.in_memory) {
    v = 0;
    if (!read_memory(t, p.value, p.size, &v)) fail("its memory cannot be read");
  }
  return number(v, p);
}

std::int64_t Conductor::result(const scripting::Event& e, const Place& at) const {
  if (e.kind() != static_cast<std::uint8_t>(EventKind::function_return))
    throw Mistake(at, "a returned value is asked for, and the thread is before: " + e.text());
  const auto fail = [&](const std::string& why) {
    throw Mistake(
        at, "what '" + object_of(e.kind(), e.address, 0) + "' returns cannot be told: " + why);
  };
  const ThreadId t = e.thread.number();
  const Registers registers = registers_of(t);
  if (registers.pc == 0)
    fail(
        "the script has not said before that it asks for such values: with returned() in a "
        "predicate");
  const report::Parameter p = result_of(t, e.address);
  if (!p.problem.empty()) fail(p.problem);
  const Returned r = follow_to_return(
      registers, p.size,
      [&](Address a, std::uint64_t bytes, void* out) { return read_memory(t, a, bytes, out); });
  if (!r.problem.empty()) fail(r.problem);
  return number(r.value, p);
}

// --- what to tell --------------------------------------------------------------------------------

std::string Conductor::describe(const std::string& why, const std::vector<State>& states) const {
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
  text += state_text(states);
  if (mistake_.empty() && wanted_.predicate)
    text += "\n  accepted: " + wanted_.predicate->text() + ", by " + wanted_.threads.text();
  return text;
}

std::string Conductor::state_text(const std::vector<State>& states) const {
  std::string text;
  for (const State& s : states) {
    text += "\n  " + name_of(s.thread) + " ";
    if (s.ended)
      text += "has ended";
    else if (s.runs)
      text += "runs, or waits for something that is not the script";
    else
      text += (s.held      ? "is held by the script before: "
               : s.enabled ? "can go on, before: "
                           : "has to wait: ") +
              s.event.text();
  }
  return text;
}

}  // namespace jostle::scripts
