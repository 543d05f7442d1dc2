#include "report/ordering.h"

#include <algorithm>

#include "report/conflicts.h"
#include "report/deadlock.h"
#include "report/event_text.h"
#include "report/text.h"

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
  std::string at(const Blocked& b) { return text(user_frame(v_.symbols, stack_of(v_.trace, b))); }

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

std::string of_conflict(View& v, ThreadId victim, const Conflict& c) {
  const auto& events = v.trace.events;
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

std::string of_interruption(View& v, ThreadId victim, std::size_t at) {
  const Conflict c = torn_apart(v.trace, victim, at);
  return c.found() ? of_conflict(v, victim, c) : "";
}

// Whoever fails was woken, and others were faster: what it had waited for is not so any more.
std::string of_late_waking(View& v) {
  const auto& events = v.trace.events;
  const ThreadId who = v.trace.outcome.failure.place.thread;
  constexpr std::uint8_t kNotWoken = kTimedOut | kSpurious;
  std::size_t back = events.size();
  while (back > 0 &&
         !(events[back - 1].thread == who && events[back - 1].kind == EventKind::cond_reacquire))
    --back;
  if (back == 0 || (events[back - 1].flags & kNotWoken)) return "";
  std::size_t wake = --back;
  const auto wakes = [&](const Event& e) {
    return e.kind == EventKind::cond_broadcast ||
           (e.kind == EventKind::cond_signal && e.other == who);
  };
  while (wake > 0 && !wakes(events[wake]))
    if (events[--wake].thread == who) return "";
  const Conflict c = torn_apart(v.trace, who, wake + 1);
  const bool whole = c.first != kNoEvent && c.found() && c.last != kNoEvent;
  if (!whole || c.between > back || events[c.between].thread == events[wake].thread) return "";
  return of_conflict(v, who, c);
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

bool changes(const Event& e) {
  if (is_memory(e)) {
    const bool same = (e.flags & kValueKnown) && (e.flags & kOldKnown) && e.value == e.old;
    return is_write(e) && !same;
  }
  return !(e.flags & kFailed) && class_of(e.kind) == EventClass::sync &&
         e.kind != EventKind::sem_getvalue;
}

// Threads that run in loops for ever, and their last turns.
class Loops {
 public:
  explicit Loops(const Trace& t) : t_(t), window_(t.events.size()) {
    for (const Blocked& b : t.blocked) {
      if (!b.spinning) continue;
      spinning_.push_back(&b);
      window_ = std::min(window_, last_turn(b));
    }
  }
  const std::vector<const Blocked*>& spinning() const { return spinning_; }

  // What it looks at in each turn, and nobody changes; 0: no such thing is known. Where the threads
  // go round in a circle, there may be none: things do change, by its own steps or those of others.
  Address waits_for(const Blocked& b) const {
    const std::size_t look = b.address != 0 ? t_.events.size() : last_look(b);
    const Address a = look == t_.events.size() ? b.address : t_.events[look].address;
    for (std::size_t i = window_; i < t_.events.size(); ++i)
      if (t_.events[i].address == a && changes(t_.events[i])) return 0;
    return a;
  }

  // What it tries in vain in each turn; events.size() if nothing is known.
  std::size_t vain_try(const Blocked& b) const {
    return last_of(b, [](const Event& e) { return (e.flags & kFailed) && !(e.flags & kTimedOut); });
  }

  // The value that it read last, if there is nothing that it tries.
  std::size_t vain_look(const Blocked& b) const {
    return last_of(b, [](const Event& e) {
      return class_of(e.kind) == EventClass::sync && is_memory(e) && !is_write(e) &&
             (e.flags & kValueKnown);
    });
  }

  // The last thing that it looked at, or tried, without changing it; events.size() if none.
  std::size_t last_look(const Blocked& b) const {
    return last_of(
        b, [](const Event& e) { return class_of(e.kind) == EventClass::sync && !changes(e); });
  }

  // Who held the lock that event number `i` did not get; kNoThread if that is not known.
  ThreadId holder_at(std::size_t i) const {
    const Address lock = t_.events[i].address;
    while (i-- > 0) {
      const Event& e = t_.events[i];
      if (e.address == lock && changes(e)) return is_acquisition(e) ? e.thread : kNoThread;
    }
    return kNoThread;
  }

 private:
  // From the last time that the thread did what it does next, or has just done.
  std::size_t last_turn(const Blocked& b) const {
    bool later = false;
    for (std::size_t i = t_.events.size(); i-- > 0;) {
      const Event& e = t_.events[i];
      if (e.thread != b.thread) continue;
      if (later && e.pc == b.pc && e.address == b.address) return i;
      later = true;
    }
    return t_.events.size();
  }
  template <class Condition>
  std::size_t last_of(const Blocked& b, Condition is) const {
    for (std::size_t i = t_.events.size(), first = last_turn(b); i-- > first;)
      if (t_.events[i].thread == b.thread && t_.events[i].address != 0 && is(t_.events[i]))
        return i;
    return t_.events.size();
  }
  const Trace& t_;
  std::vector<const Blocked*> spinning_;
  std::size_t window_;  // the last turns of all lie in it
};

std::string of_circle(View& v, const Loops& loops) {
  std::vector<std::string> labels, tries, places;
  Places of_tries(v), of_loops(v);
  for (const Blocked* b : loops.spinning()) {
    const std::string label = thread_label(b->thread);
    labels.push_back(label);
    places.push_back(label + of_loops.at(*b));
    const bool looks = loops.vain_try(*b) == v.trace.events.size();
    const std::size_t i = looks ? loops.vain_look(*b) : loops.vain_try(*b);
    if (i == v.trace.events.size()) continue;
    const Event& e = v.trace.events[i];
    const ThreadId holder = looks ? kNoThread : loops.holder_at(i);
    const bool held = holder != kNoThread && holder != b->thread;
    std::string text = label + " " + std::string(verb(e.kind)) + " ";
    text += quoted_name(v, i) + of_tries.at(i);
    text += looks  ? " while it is " + value_text(v, e.value, e.size, i)
            : held ? " while " + thread_label(holder) + " holds it"
                   : " in vain";
    tries.push_back(text);
  }
  std::string text = listed(labels) + (labels.size() == 1 ? " goes" : " go") + " round in a circle";
  if (tries.size() == labels.size()) return text + ": again and again " + listed(tries);
  if (labels.size() == 1)
    return text + Places(v).at(*loops.spinning()[0]) +
           ": each turn of its loop ends where it began";
  return text + ": each turn of their loops ends where it began, " + listed(places);
}

std::string of_loop(View& v) {
  const Loops loops(v.trace);
  for (const Blocked* b : loops.spinning()) {
    const Address a = loops.waits_for(*b);
    if (a == 0) continue;
    return thread_label(b->thread) + " waits in a loop" + Places(v).at(*b) + " for `" +
           v.naming.name(a, v.trace.events.size(), b->kind) +
           "` to change, and no other thread will change it";
  }
  return loops.spinning().empty() ? "" : of_circle(v, loops);
}

// "time runs out for T0 in its wait at x.cc:12, although T1 could still go on"; "" if that does not
// matter.
std::string of_limit(View& v) {
  const auto& events = v.trace.events;
  if (v.trace.early_limit == 0) return "";
  const std::size_t over = v.trace.early_limit - 1;
  const ThreadId who = events[over].thread;
  // The end of the wait knows its place: time ran out while another thread's stack was in use.
  std::size_t wait = over;
  for (std::size_t i = over + 1; i < events.size() && wait == over; ++i)
    if (events[i].thread == who) wait = i;
  if (!(events[wait].flags & kTimedOut)) wait = over;
  for (std::size_t i = over; i-- > 0 && wait == over;)
    if (events[i].thread == who) wait = i;
  return "time runs out for " + thread_label(who) + " in its wait" + Places(v).at(wait) +
         ", although " + thread_label(events[over].other) + " could still go on";
}

}  // namespace

std::size_t look_in_vain(const Trace& t, const Blocked& b) {
  switch (b.kind) {
    case EventKind::write:
    case EventKind::atomic_store:
    case EventKind::mutex_lock:
    case EventKind::mutex_unlock:
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_wrlock:
    case EventKind::rwlock_unlock:
    case EventKind::spin_lock:
    case EventKind::spin_unlock:
      return Loops(t).last_look(b);
    default:
      return b.address == 0 ? Loops(t).last_look(b) : t.events.size();
  }
}

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

  // Nothing after it departs from the default schedule: no interruption comes later.
  if (std::string text = of_limit(v); !text.empty()) return text;

  if (std::string text = of_late_waking(v); !text.empty()) return text;

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
