#include "explore/minimize.h"

#include <algorithm>
#include <csignal>

#include "explore/rounds.h"

namespace jostle::explore {
namespace {

struct Cost {
  std::uint32_t preemptions, switches;
  std::size_t departures, events;  // departures from the default: lines of the schedule
  auto operator<=>(const Cost&) const = default;
};

Cost cost_of(const Trace& t) {
  return {t.outcome.preemptions, t.outcome.switches, deviations_of(t).size(), t.events.size()};
}

// Events that the segment strategy counts: what was announced, not what was merely noted.
bool counts(const Event& e) { return (e.flags & kStep) != 0; }

std::vector<Segment> segments_of(const Trace& t) {
  std::vector<Segment> out;
  for (const Event& e : t.events) {
    if (!counts(e)) continue;
    if (out.empty() || out.back().thread != e.thread) out.push_back({e.thread, 0});
    ++out.back().steps;
  }
  return out;
}

std::vector<Deviation> answers_of(const Trace& t) {
  std::vector<Deviation> out;
  for (const Decision& d : t.decisions)
    if (d.kind != ChoiceKind::thread) out.push_back({0, d.chosen, d.kind, 0});
  return out;
}

class Search {
 public:
  Search(const Session& session, Executor& executor, const Trace& trace, std::uint32_t max_attempts,
         double until)
      : session_(session), executor_(executor), best_(trace), left_(max_attempts), until_(until) {}

  Trace& best() { return best_; }
  std::uint32_t attempts() const { return attempts_; }

  // Takes `candidate` if it fails as before and costs less.
  bool attempt(const std::vector<Segment>& candidate, const std::vector<Deviation>& answers) {
    if (exhausted() || candidate.size() > Assignment::kSteps || answers.size() > Assignment::kSteps)
      return false;
    ++attempts_;
    Assignment& a = executor_.assignment();
    const std::uint32_t patience = a.plan.patience;
    a.plan = {};
    a.plan.strategy = kSegmentStrategy;
    a.plan.patience = patience;
    a.segment_count = static_cast<std::uint32_t>(candidate.size());
    std::copy(candidate.begin(), candidate.end(), a.segments);
    a.deviation_count = static_cast<std::uint32_t>(answers.size());
    std::copy(answers.begin(), answers.end(), a.deviations);
    Fresh f = executor_.run();
    longest_ = std::max(longest_, f.seconds);
    if (!same_failure(best_.outcome.failure, f.trace.outcome.failure)) return false;
    if (cost_of(f.trace) >= cost_of(best_)) return false;
    best_ = std::move(f.trace);
    return true;
  }
  bool exhausted() const {
    return attempts_ >= left_ || monotonic_seconds() + longest_ > until_ || interrupted(session_);
  }

 private:
  const Session& session_;
  Executor& executor_;
  Trace best_;
  std::uint32_t left_, attempts_ = 0;
  double until_, longest_ = 0;
};

}  // namespace

// Which instruction of a recursion meets the end of the stack depends on where the stack begins. If
// it is one of ours, there is no room to say so, and the process is just killed.
bool is_overflow(const Problem& p) {
  return p.kind == FindingKind::crash && std::strstr(p.message, "stack overflow") != nullptr;
}

static bool may_be_overflow(const Problem& p) {
  return is_overflow(p) || (p.kind == FindingKind::crash && p.code == SIGSEGV &&
                            std::strstr(p.message, "killed by signal") != nullptr);
}

bool same_failure(const Problem& a, const Problem& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == FindingKind::deadlock || a.kind == FindingKind::livelock ||
      a.kind == FindingKind::timeout)
    return true;
  if ((is_overflow(a) && may_be_overflow(b)) || (may_be_overflow(a) && is_overflow(b))) return true;
  if (a.line != 0 || b.line != 0) return a.line == b.line && std::strcmp(a.file, b.file) == 0;
  return a.place.pc == b.place.pc;
}

std::vector<Deviation> deviations_of(const Trace& trace) {
  std::vector<Deviation> out;
  for (std::size_t i = 0; i < trace.decisions.size(); ++i) {
    const Decision& d = trace.decisions[i];
    if (d.chosen != d.standard) out.push_back({static_cast<std::uint32_t>(i), d.chosen, d.kind, 0});
  }
  return out;
}

std::uint32_t decisive_limit(Executor& executor, const Trace& trace) {
  std::size_t at = trace.events.size();
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].kind == EventKind::timeout && trace.events[i].other != kNoThread) at = i;
  if (at == trace.events.size()) return 0;
  const Event& over = trace.events[at];
  const std::uint32_t d = over.decision - 1;
  if (over.decision == 0 || d >= trace.decisions.size() || trace.decisions[d].event != at) return 0;
  std::vector<Deviation> path = deviations_of(trace);
  if (!path.empty() && path.back().decision > d) return 0;
  if (!path.empty() && path.back().decision == d) path.pop_back();
  path.push_back({d, over.other, ChoiceKind::thread, 0});
  if (path.size() > Assignment::kSteps) return 0;
  Assignment& a = executor.assignment();
  const Plan kept = a.plan;
  a.plan = {};
  a.plan.strategy = kReplayStrategy;
  a.plan.patience = kept.patience;
  a.segment_count = 0;
  a.deviation_count = static_cast<std::uint32_t>(path.size());
  std::copy(path.begin(), path.end(), a.deviations);
  const Fresh f = executor.run();
  a.plan = kept;
  const bool other = f.ended && !f.trace.outcome.diverged &&
                     !same_failure(trace.outcome.failure, f.trace.outcome.failure);
  return other ? static_cast<std::uint32_t>(at + 1) : 0;
}

Minimized minimize(const Session& session, Executor& executor, const Trace& trace,
                   std::uint32_t max_attempts, double until) {
  Search s(session, executor, trace, max_attempts, until);
  // Nothing but the default schedule may do; then without injected choices.
  s.attempt({}, {});
  if (!answers_of(s.best()).empty()) s.attempt(segments_of(s.best()), {});
  // Delta debugging on the itinerary: leave out ever smaller stretches of segments. What fails
  // is taken as it was executed, so the list shrinks by more than was left out.
  for (std::size_t size = std::max<std::size_t>(segments_of(s.best()).size() / 2, 1);
       !s.exhausted();) {
    bool better = false;
    for (std::size_t at = 0; !s.exhausted();) {
      std::vector<Segment> list = segments_of(s.best());
      if (at >= list.size()) break;
      const std::size_t n = std::min(size, list.size() - at);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at),
                 list.begin() + static_cast<std::ptrdiff_t>(at + n));
      if (s.attempt(list, answers_of(s.best())))
        better = true;
      else
        at += n;
    }
    if (better) {
      size = std::max<std::size_t>(std::min(size, segments_of(s.best()).size() / 2), 1);
      continue;
    }
    if (size == 1) break;
    size /= 2;
  }
  // Longer stretches: let a thread go on to its end of segment twice over, so that two of its
  // segments become one.
  for (std::size_t at = 0; !s.exhausted(); ++at) {
    std::vector<Segment> list = segments_of(s.best());
    if (at >= list.size()) break;
    for (std::size_t k = at + 1; k < list.size(); ++k) {
      if (list[k].thread != list[at].thread) continue;
      list[at].steps += list[k].steps;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
      if (s.attempt(list, answers_of(s.best()))) --at;
      break;
    }
  }
  // With as many switches, what the default does by itself: threads that do the same change places,
  // and segments that need not come in the order in which they do.
  for (bool better = true; better && !s.exhausted();) {
    better = false;
    const std::size_t threads = s.best().threads.size();
    for (std::size_t a = 0; a < threads; ++a)
      for (std::size_t b = a + 1; b < threads && !s.exhausted(); ++b) {
        std::vector<Segment> list = segments_of(s.best());
        for (Segment& part : list)
          if (part.thread == a || part.thread == b)
            part.thread = static_cast<ThreadId>(part.thread == a ? b : a);
        better |= s.attempt(list, answers_of(s.best()));
      }
    for (std::size_t at = 0; !s.exhausted(); ++at) {
      std::vector<Segment> list = segments_of(s.best());
      if (at + 1 >= list.size()) break;
      std::swap(list[at], list[at + 1]);
      better |= s.attempt(list, answers_of(s.best()));
    }
  }

  Minimized m;
  m.attempts = s.attempts();
  m.deviations = deviations_of(s.best());
  m.trace = std::move(s.best());
  return m;
}

}  // namespace jostle::explore
