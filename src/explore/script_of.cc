#include "explore/script_of.h"

#include <algorithm>
#include <optional>

#include "explore/minimize.h"
#include "explore/rounds.h"
#include "report/frames.h"
#include "script/unit_conductor.h"

namespace jostle::explore {
namespace {

using scripting::Predicate;
using scripting::Tid;

// What scripts call an operation.
struct Word {
  const char* text;
  const Predicate* predicate;
};
constexpr Word kWords[] = {
    {"reads", &scripting::reads},     {"writes", &scripting::writes},
    {"locks", &scripting::locks},     {"unlocks", &scripting::unlocks},
    {"waits", &scripting::waits},     {"signals", &scripting::signals},
    {"creates", &scripting::creates}, {"joins", &scripting::joins},
};

const Word* word_for(EventKind k) {
  const Word* found = nullptr;  // the last: an atomic update writes
  for (const Word& w : kWords)
    if (w.predicate->kinds() >> static_cast<unsigned>(k) & 1) found = &w;
  return found;
}

// A thread runs until it is before something.
struct Line {
  ThreadId thread = 0;
  const Word* word = nullptr;  // null: its end
  std::string file;
  unsigned line = 0;
  unsigned times = 1;

  Predicate predicate() const {
    if (!word) return scripting::ends;
    const Predicate p =
        line ? *word->predicate && scripting::at_line(file, line) : *word->predicate;
    return times > 1 ? scripting::times(times, p) : p;
  }
  std::string text() const {
    if (!word) return "ends";
    std::string s = word->text;
    if (line) s += " && at_line(\"" + file + "\", " + std::to_string(line) + ")";
    return times > 1 ? "times(" + std::to_string(times) + ", " + s + ")" : s;
  }
};

scripting::Event event_of(ThreadId t, EventKind kind, Address a, std::uint64_t pc) {
  return {Tid(t), static_cast<std::uint8_t>(kind), a, 1, pc};
}

class Strengthen {
 public:
  explicit Strengthen(const Trace& t) : trace_(t) {}

  Expected<std::vector<Line>> lines() {
    std::vector<Line> out;
    const auto& events = trace_.events;
    std::size_t from[kMaxThreads] = {};  // of each thread: what it was last held before
    for (std::size_t i = 0; i < events.size();) {
      if (!(events[i].flags & kStep)) {
        ++i;
        continue;
      }
      const ThreadId t = events[i].thread;
      std::size_t after = i;  // the first step of somebody else
      while (after < events.size() && (events[after].thread == t || !(events[after].flags & kStep)))
        ++after;
      std::size_t stop = after;
      while (stop < events.size() && (events[stop].thread != t || !(events[stop].flags & kStep)))
        ++stop;
      Line line;
      line.thread = t;
      std::optional<scripting::Event> at;
      if (stop < events.size()) {
        at = event_of(t, events[stop].kind, events[stop].address, events[stop].pc);
      } else {
        for (const Blocked& b : trace_.blocked)
          if (b.thread == t) at = event_of(t, b.kind, b.address, b.pc);
      }
      if (at) {
        line.word = word_for(static_cast<EventKind>(at->kind()));
        if (!line.word)
          return Error{"a thread stops at an operation that scripts have no word for: " +
                       at->text()};
        line.file = report::base_name(at->file());
        line.line = at->line();
        const unsigned before = count(line, from[t], stop);  // without the place itself
        line.times = before + 1;
      }
      from[t] = stop;
      out.push_back(line);
      i = after;
    }
    return out;
  }

 private:
  // How often the thread comes to such a place after what it was held before; at first, from its
  // beginning.
  unsigned count(const Line& l, std::size_t from, std::size_t to) {
    unsigned n = 0;
    const Predicate p = Line{l.thread, l.word, l.file, l.line, 1}.predicate();
    for (std::size_t i = from == 0 ? 0 : from + 1; i < to && i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      n += e.thread == l.thread && p(event_of(e.thread, e.kind, e.address, e.pc));
    }
    return n;
  }
  const Trace& trace_;
};

class Weaken {
 public:
  Weaken(const Session& session, const Problem& failure)
      : session_(session), runner_(in_process_runner(session)), failure_(failure) {}

  bool fails(const std::vector<Line>& lines) {
    const std::function<void()> script = [&] { follow(lines); };
    const auto oracle = scripting::replay({});
    scripts::UnitConductor conductor(script, *oracle);
    Plan plan;
    plan.patience = Plan::kExact;
    conductor.prepare(engine().scheduler(), 0);
    const Outcome& out = engine().execute(plan, Profile(), conductor, session_.body, nullptr);
    conductor.conclude();
    engine().races().forget_found();
    return same_failure(failure_, out.failure);
  }
  void leave_out(std::vector<Line>& lines) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = lines.size(); i-- > 0;) {
        std::vector<Line> fewer = lines;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (!fails(fewer)) continue;
        lines = std::move(fewer);
        changed = true;
      }
    }
  }

 private:
  static void follow(const std::vector<Line>& lines) {
    scripting::Threads bound;
    for (const Line& l : lines) {
      const Tid t(l.thread);
      if (l.thread == 0 && !bound.has(t)) {
        scripting::wait_for_thread(t, l.predicate());
      } else {
        if (!bound.has(t)) scripting::wait_for_thread(t, scripting::starts);
        scripting::run_until(t, l.predicate());
      }
      bound += t;
    }
  }
  const Session& session_;
  std::unique_ptr<Runner> runner_;
  const Problem& failure_;
};

std::string text_of(const std::vector<Line>& lines, const Problem& failure) {
  std::string s =
      "// A schedule that fails, for jostle::script(): " + std::string(name_of(failure.kind)) +
      "\n#pragma once\n\n#include <jostle/script.hpp>\n\ninline void failing_schedule() {\n"
      "  using namespace jostle::scripting;\n";
  scripting::Threads bound;
  for (const Line& l : lines) {
    const std::string name = "t" + std::to_string(l.thread);
    const bool first = !bound.has(Tid(l.thread));
    const bool named =
        l.thread != 0 || std::count_if(lines.begin(), lines.end(),
                                       [&](const Line& m) { return m.thread == l.thread; }) > 1;
    const std::string wait = (named ? "  const Tid " + name + " = " : "  ") +
                             "wait_for_thread(Tid(" + std::to_string(l.thread) + "), ";
    if (first && l.thread == 0) {
      s += wait + l.text() + ");\n";
    } else {
      if (first) s += wait + "starts);\n";
      s += "  run_until(" + name + ", " + l.text() + ");\n";
    }
    bound += Tid(l.thread);
  }
  return s + "}\n";
}

}  // namespace

Expected<std::string> script_of(const Session& outer, const Trace& failing) {
  if (failing.outcome.failure.kind == FindingKind::none)
    return Error{"only what ends an execution can be made a script, not a race"};
  if (outer.whole_program()) return Error{"scripts are for tests, not for whole programs"};
  auto lines = Strengthen(failing).lines();
  if (!lines) return Error{lines.error()};
  Session session = outer;
  session.settings.preempt = Preempt::all;
  Weaken weaken(session, failing.outcome.failure);
  if (!weaken.fails(*lines))
    return Error{"the schedule cannot be said as a script: followed as one, it does not fail so"};
  weaken.leave_out(*lines);
  return text_of(*lines, failing.outcome.failure);
}

}  // namespace jostle::explore
