// What scripts are made of: the core, and the library after Figure 8 of the CONCURRIT paper.
#include <algorithm>

#include "script/conductor.h"
#include "script/mistake.h"

namespace jostle::scripting {

using scripts::conductor;

Event select(const Threads& threads, const Predicate& p, Place at) {
  return conductor().select(threads, p, at);
}
void release(const Threads& threads, Place at) { conductor().release(threads, at); }
void let_go(const Threads& threads, Place at) { conductor().let_go(threads, at); }
std::uint32_t choose_below(std::uint32_t n, Place at) {
  if (n == 0) throw scripts::Mistake(at, "there is nothing to choose from: one of none");
  return conductor().choose(n);
}
void others(Others what) { conductor().others(what); }
void others(const std::string& strategy, Place at) { conductor().others(strategy, at); }
Tid choose_thread(const Threads& threads, Place at) {
  return conductor().choose_thread(threads, at);
}
bool has_ended(Tid t) { return conductor().has_ended(t); }
Event pending(Tid t, Place at) { return conductor().pending(t, at); }

Tid wait_for_thread(const Threads& threads, const Predicate& p, Place at) {
  return select(threads, p, at).thread;
}

std::vector<Tid> wait_for_distinct_threads(unsigned n, const Predicate& p, Place at) {
  Threads rest = any;
  std::vector<Tid> found;
  while (found.size() < n) {
    found.push_back(wait_for_thread(rest, p, at));
    rest -= found.back();
  }
  return found;
}

void run_until(const Threads& threads, const Predicate& p, Place at) {
  release(threads, at);
  Threads left = conductor().bound_among(threads);
  do left -= select(left, p, at).thread;
  while (left.end() > 0);
}

bool run_until_or_blocked(Tid t, const Predicate& p, Place at) {
  release(t, at);
  return conductor().select_or_block(t, p, at).has_value();
}

bool is_blocked(Tid t) { return conductor().is_blocked(t); }

// --- patterns ------------------------------------------------------------------------------------

namespace {

Predicate any_of(const FunctionPredicate& what, Functions fs, const Place& at) {
  Predicate p = what(*fs.begin(), at);
  for (const Function* f = fs.begin() + 1; f != fs.end(); ++f) p = p || what(*f, at);
  return p;
}

Predicate inside(Functions fs, const Place& at) {
  Predicate p = in_function(*fs.begin(), at);
  for (const Function* f = fs.begin() + 1; f != fs.end(); ++f) p = p || in_function(*f, at);
  return p;
}

std::function<bool(Tid)> while_inside(Functions fs, const Place& at) {
  return [list = std::vector<Function>(fs), at](Tid t) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Function& f) { return in_function(t, f, at); });
  };
}

const Predicate& visible() {
  static const Predicate p = reads || writes || calls || locks || unlocks || waits || signals;
  return p;
}

void need_functions(Functions f, const Place& at) {
  if (f.size() == 0)
    throw scripts::Mistake(at, "a search in functions needs at least one function");
}

}  // namespace

void search(const Search& s, Place at) {
  const std::vector<Tid> ts = wait_for_distinct_threads(s.threads, s.start, at);
  if (s.prologue) s.prologue(ts);
  const auto busy = [&](Tid t) { return !has_ended(t) && (!s.as_long_as || s.as_long_as(t)); };
  const auto all_busy = [&](bool blocked_too) {
    Threads out;
    for (const Tid t : ts)
      if (busy(t) && (blocked_too || !is_blocked(t))) out += t;
    return out;
  };
  for (unsigned contexts = 0; all_busy(true).end() > 0;) {
    if (s.context_bound > 0 && contexts == s.context_bound) break;
    if (all_busy(false).end() == 0) {  // others may bring it about that one of them can go on
      conductor().wait_unblocked(all_busy(true), at);
      continue;
    }
    ++contexts;
    const Tid t = choose_thread(all_busy(false), at);
    do run_until_or_blocked(t, s.schedule_at, at);
    while (s.context_bound > 0 && busy(t) && !is_blocked(t) && choose(true, false));
  }
  if (s.context_bound == 0) return;
  // Each to its end, one after the other; who has to wait goes on when the script has ended.
  for (const Tid t : ts)
    if (!has_ended(t)) run_until_or_blocked(t, ends, at);
}

void search_all(unsigned n, Place at) {
  search({.threads = n, .start = starts, .schedule_at = visible() || ends}, at);
}

void search_in_functions(unsigned n, Functions f, Place at) {
  search_in_buggy(n, (need_functions(f, at), any_of(enters, f, at)), f, nullptr, at);
}

void search_in_functions_at_points(unsigned n, Functions f, Place at) {
  need_functions(f, at);
  search({.threads = n,
          .start = any_of(enters, f, at),
          .schedule_at = at_point || ends,
          .as_long_as = while_inside(f, at)},
         at);
}

void search_in_functions_bounded(unsigned n, Functions f, unsigned contexts, Place at) {
  need_functions(f, at);
  search({.threads = n,
          .start = any_of(enters, f, at),
          .schedule_at = (inside(f, at) && visible()) || ends,
          .as_long_as = while_inside(f, at),
          .context_bound = contexts},
         at);
}

void search_sequences(unsigned n, const Predicate& start, Functions f, Place at) {
  need_functions(f, at);
  search({.threads = n, .start = start, .schedule_at = any_of(returns, f, at) || ends}, at);
}

void search_in_buggy(unsigned n, const Predicate& start, Functions f,
                     std::function<void(std::span<const Tid>)> prologue, Place at) {
  need_functions(f, at);
  search({.threads = n,
          .start = start,
          .schedule_at = (inside(f, at) && visible()) || ends,
          .as_long_as = while_inside(f, at),
          .prologue = std::move(prologue)},
         at);
}

void exact_schedule(unsigned n, const Predicate& start,
                    std::function<void(std::span<const Tid>)> schedule, Place at) {
  search({.threads = n,
          .start = start,
          .schedule_at = ends,
          .as_long_as = [](Tid) { return false; },
          .prologue = std::move(schedule)},
         at);
}

}  // namespace jostle::scripting
