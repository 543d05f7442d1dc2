#include "report/ordering.h"

#include <algorithm>

#include "report/deadlock.h"
#include "report/event_text.h"

namespace jostle::report {
namespace {

// Places in one sentence: the file is named only when it changes.
class Places {
 public:
  explicit Places(View& v) : v_(v) {}
  std::string at(std::size_t event) { return text(where(v_.trace, v_.symbols, v_.trace.events[event])); }
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

bool conflict(const Event& a, const Event& b) { return is_write(a) || is_write(b); }

bool same_memory(const Event& a, const Event& b) {
  return a.address < b.address + std::max(b.size, 1u) && b.address < a.address + std::max(a.size, 1u);
}

bool is_access(const Event& e) {
  return e.address != 0 && (is_memory(e) || e.kind == EventKind::free);
}

struct Triple {
  std::size_t first, between, last;
};

// Accesses of one thread with another's in between that no serial order explains.
bool torn(const Event& first, const Event& between, const Event& last) {
  const bool r1 = !is_write(first), w2 = is_write(between), r3 = !is_write(last);
  if (w2) return !(is_write(first) && is_write(last));  // r-w-r, w-w-r, r-w-w
  return !r1 && !r3;                                    // w-r-w
}

// What the interruption of `victim` just before event `at` tore apart. Of several candidates
// the one whose last access comes first: it is nearest to the interruption.
bool find_triple(const Trace& t, ThreadId victim, std::size_t at, Triple& out) {
  for (std::size_t last = at; last < t.events.size(); ++last) {
    const Event& c = t.events[last];
    if (c.thread != victim || !is_access(c)) continue;
    for (std::size_t first = at; first-- > 0;) {
      const Event& a = t.events[first];
      if (a.thread != victim || !is_access(a) || !same_memory(a, c)) continue;
      for (std::size_t between = last; between-- > at;) {
        const Event& b = t.events[between];
        if (b.thread == victim || !is_access(b) || !same_memory(a, b) || !torn(a, b, c)) continue;
        out = {first, between, last};
        return true;
      }
      break;  // only the latest access before the interruption counts
    }
  }
  return false;
}

struct Pair {
  std::size_t first, second;
};

// Another thread's access that came before the victim's own, because it was interrupted.
bool find_overtaking(const Trace& t, ThreadId victim, std::size_t at, Pair& out) {
  for (std::size_t second = at; second < t.events.size(); ++second) {
    const Event& b = t.events[second];
    if (b.thread != victim || !is_access(b)) continue;
    for (std::size_t first = second; first-- > at;) {
      const Event& a = t.events[first];
      if (a.thread == victim || !is_access(a) || !same_memory(a, b) || !conflict(a, b)) continue;
      out = {first, second};
      return true;
    }
  }
  return false;
}

// The victim never came back: what it did last that the others then ran into.
bool find_exposed(const Trace& t, ThreadId victim, std::size_t at, Pair& out) {
  for (std::size_t first = at; first-- > 0;) {
    const Event& a = t.events[first];
    if (a.thread != victim || !is_access(a)) continue;
    for (std::size_t second = at; second < t.events.size(); ++second) {
      const Event& b = t.events[second];
      if (b.thread == victim || !is_access(b) || !same_memory(a, b) || !conflict(a, b)) continue;
      out = {first, second};
      return true;
    }
  }
  return false;
}

std::string of_interruption(View& v, ThreadId victim, std::size_t at) {
  const Trace& t = v.trace;
  Places places(v);
  Triple torn_apart;
  if (find_triple(t, victim, at, torn_apart)) {
    const auto& [first, between, last] = torn_apart;
    std::string text = quoted_name(v, first) + " is " + std::string(participle(t.events[first].kind));
    text += places.at(first) + by(victim) + ", then " +
            std::string(participle(t.events[between].kind));
    text += places.at(between) + by(t.events[between].thread) + ", before " +
            thread_label(victim) + " " + std::string(verb(t.events[last].kind)) + " it";
    return text + places.at(last);
  }
  Pair p;
  if (find_overtaking(t, victim, at, p)) {
    std::string text = quoted_name(v, p.first) + " is " +
                       std::string(participle(t.events[p.first].kind)) + places.at(p.first) +
                       by(t.events[p.first].thread) + " before " + thread_label(victim) + " " +
                       std::string(verb(t.events[p.second].kind)) + " it";
    return text + places.at(p.second);
  }
  if (find_exposed(t, victim, at, p)) {
    std::string text = quoted_name(v, p.first) + " is " +
                       std::string(participle(t.events[p.first].kind)) + places.at(p.first) +
                       by(victim) + ", then " + std::string(participle(t.events[p.second].kind));
    return text + places.at(p.second) + by(t.events[p.second].thread) + ", while " +
           thread_label(victim) + " is interrupted";
  }
  return "";
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

}  // namespace

std::string decisive_ordering(View& v) {
  const Trace& t = v.trace;
  const Problem& failure = t.outcome.failure;
  if (failure.kind == FindingKind::none)
    return t.races.empty() ? "" : of_places(v, t.races.front());
  if (failure.kind == FindingKind::deadlock)
    if (std::string text = deadlock_ordering(v); !text.empty()) return text;
  const bool two_places = failure.other.thread != kNoThread && failure.other.pc != 0;
  if (two_places && (failure.kind == FindingKind::race || failure.kind == FindingKind::heap) &&
      failure.other.thread != failure.place.thread)
    return of_places(v, failure);

  // The last interruption is the one that let the failure happen; earlier ones prepare it.
  std::size_t last_switch = t.events.size();
  for (std::size_t i = t.events.size(); i-- > 0;) {
    const ThreadId victim = interrupted_before(t, i);
    if (victim == kNoThread) continue;
    if (last_switch == t.events.size()) last_switch = i;
    if (std::string text = of_interruption(v, victim, i); !text.empty()) return text;
  }
  if (last_switch < t.events.size()) return of_switch(v, interrupted_before(t, last_switch), last_switch);
  return t.events.empty() ? ""
                          : "no thread is interrupted: the order in which the threads run suffices";
}

}  // namespace jostle::report
