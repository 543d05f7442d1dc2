#include "report/ordering.h"

#include "report/conflicts.h"
#include "report/deadlock.h"
#include "report/event_text.h"

namespace jostle::report {
namespace {

// Places in one sentence: the file is named only when it changes.
class Places {
 public:
  explicit Places(View& v) : v_(v) {}
  std::string at(std::size_t event) {
    return text(where(v_.trace, v_.symbols, v_.trace.events[event]));
  }
  std::string at(const Place& p) { return text(where(v_.trace, v_.symbols, p)); }

 private:
  std::string text(const Frame& f) {
    if (f.file.empty() || f.line == 0) return f.function.empty() ? "" : " in " + place_text(f);
    if (f.file == file_) return " at :" + std::to_string(f.line);
    file_ = f.file;
    return " at " + place_text(f);
  }
  View& v_;
  std::string file_;
};

std::string by(ThreadId t) { return " by " + thread_label(t); }

std::string quoted_name(View& v, std::size_t event) { return "`" + v.object(event) + "`"; }

std::string of_interruption(View& v, ThreadId victim, std::size_t at) {
  const auto& events = v.trace.events;
  const Conflict c = torn_apart(v.trace, victim, at);
  if (!c.found()) return "";
  Places places(v);
  const auto passive = [&](std::size_t i) {
    return std::string(participle(events[i].kind)) + places.at(i) + by(events[i].thread);
  };
  const auto active = [&](std::size_t i) {
    return thread_label(victim) + " " + std::string(verb(events[i].kind)) + " it" + places.at(i);
  };
  std::string text;
  if (c.first == kNoEvent) {
    text = quoted_name(v, c.between) + " is ";
    text += passive(c.between) + " before ";
    return text += active(c.last);
  }
  text = quoted_name(v, c.first) + " is ";
  text += passive(c.first) + ", then ";
  text += passive(c.between);
  if (c.last == kNoEvent) return text + ", while " + thread_label(victim) + " is interrupted";
  return text += ", before " + active(c.last);
}

std::string of_switch(View& v, ThreadId victim, std::size_t at) {
  const Trace& t = v.trace;
  const std::string runs = ", and " + thread_label(t.events[at].thread) + " runs";
  for (std::size_t i = at; i < t.events.size(); ++i)
    if (t.events[i].thread == victim)
      return thread_label(victim) + " is interrupted before \"" + event_text(v, i) + "\"" +
             Places(v).at(i) + runs;
  for (std::size_t i = at; i-- > 0;)
    if (t.events[i].thread == victim)
      return thread_label(victim) + " is interrupted after \"" + event_text(v, i) + "\"" +
             Places(v).at(i) + runs;
  return thread_label(victim) + " is interrupted before its first step" + runs;
}

std::string of_places(View& v, const Problem& p) {
  Places places(v);
  const std::size_t event = p.place.event != 0 ? p.place.event - 1 : v.trace.events.size();
  const std::string name = p.address == 0 ? "memory" : "`" + v.naming.name(p.address, event) + "`";
  std::string text = name + " is " + std::string(participle(p.other.kind)) + places.at(p.other) +
                     by(p.other.thread);
  if (p.kind == FindingKind::race) {
    text += " and " + std::string(participle(p.place.kind));
    return text + places.at(p.place) + by(p.place.thread) + ", and nothing orders the two";
  }
  text += " before " + thread_label(p.place.thread) + " " + std::string(verb(p.place.kind)) + " it";
  return text + places.at(p.place);
}

std::string of_loop(View& v) {
  for (const Blocked& b : v.trace.blocked) {
    if (!b.spinning || b.address == 0) continue;
    Place p;
    p.pc = b.pc;
    return thread_label(b.thread) + " waits in a loop" + Places(v).at(p) + " for `" +
           v.naming.name(b.address, v.trace.events.size(), b.kind) +
           "` to change, and no other thread will change it";
  }
  return "";
}

}  // namespace

std::string decisive_ordering(View& v) {
  const Trace& t = v.trace;
  const Problem& failure = t.outcome.failure;
  if (failure.kind == FindingKind::none)
    return t.races.empty() ? "" : of_places(v, t.races.front());
  if (failure.kind == FindingKind::deadlock)
    if (std::string text = deadlock_ordering(v); !text.empty()) return text;
  if (failure.kind == FindingKind::livelock)
    if (std::string text = of_loop(v); !text.empty()) return text;
  const bool two_places = failure.other.thread != kNoThread && failure.other.pc != 0;
  if (two_places && (failure.kind == FindingKind::race || failure.kind == FindingKind::heap) &&
      failure.other.thread != failure.place.thread)
    return of_places(v, failure);

  // The last interruption is the one that let the failure happen; earlier ones prepare it.
  constexpr int kMost = 16;  // a schedule with more of them was not minimised
  std::size_t last_switch = t.events.size();
  int tried = 0;
  for (std::size_t i = t.events.size(); i-- > 0 && tried < kMost;) {
    if (i > 0 && t.events[i - 1].thread == t.events[i].thread) continue;
    const ThreadId victim = interrupted_before(t, i);
    if (victim == kNoThread) continue;
    ++tried;
    if (last_switch == t.events.size()) last_switch = i;
    if (std::string text = of_interruption(v, victim, i); !text.empty()) return text;
  }
  if (last_switch < t.events.size())
    return of_switch(v, interrupted_before(t, last_switch), last_switch);
  return t.events.empty() ? ""
                          : "no thread is interrupted: the order in which the threads run suffices";
}

}  // namespace jostle::report
