#include "report/selection.h"

#include <algorithm>
#include <unordered_map>

namespace jostle::report {
namespace {

// How many events around an interruption, another switch, and the end belong to the picture.
constexpr std::size_t kBeforeInterruption = 3, kAfterInterruption = 3, kAtEnd = 8;

// Events that the failure or a race refers to.
std::vector<bool> named_events(const Trace& t) {
  std::vector<bool> named(t.events.size());
  const auto mark = [&](const Problem& p) {
    for (const Place& place : {p.place, p.other})
      if (place.event != 0 && place.event <= named.size()) named[place.event - 1] = true;
  };
  mark(t.outcome.failure);
  for (const Problem& p : t.races) mark(p);
  for (const Blocked& b : t.blocked) {
    if (const std::size_t i = last_event(t, b.thread, b.address); i < named.size()) named[i] = true;
    if (b.owner == kNoThread) continue;
    if (const std::size_t i = last_acquisition(t, b.owner, b.address); i < named.size())
      named[i] = true;
  }
  for (std::size_t i = 0; i < t.events.size(); ++i)
    if (t.events[i].flags & kRacing) named[i] = true;
  // The wait whose time was up early may have been on what nobody else got to touch.
  for (std::size_t i = t.early_limit; i > 0; --i) {
    const Event& over = t.events[t.early_limit - 1];
    const Event& e = t.events[i - 1];
    if (e.thread != over.thread || e.address != over.address) continue;
    named[i - 1] = true;
    if (e.kind != EventKind::timeout) break;
  }
  return named;
}

// Who touched an address, and whether it mattered in which order.
struct Use {
  ThreadId first;
  bool shared = false;
  bool is_lock = false;         // or another object that is not just memory
  bool ordered = true;          // all changes came before the other threads were there at all
  std::size_t last_change = 0;  // 1 + index of the event
};

std::unordered_map<Address, Use> uses_of(const Trace& t) {
  std::vector<std::size_t> born(t.threads.size(), 0);
  std::unordered_map<Address, Use> uses;
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    const Event& e = t.events[i];
    const bool begets = e.kind == EventKind::thread_create || e.kind == EventKind::process_fork;
    if (begets && e.other < born.size()) born[e.other] = i + 1;
    if (e.address == 0 || e.kind == EventKind::alloc || e.kind == EventKind::free) continue;
    Use& u = uses.try_emplace(e.address, Use{e.thread}).first->second;
    if (u.first != e.thread) {
      u.shared = true;
      const std::size_t start = e.thread < born.size() ? born[e.thread] : 0;
      if (u.last_change != 0 && u.last_change >= start) u.ordered = false;
    }
    if (noun_of(e.kind) != noun_of(EventKind::point)) u.is_lock = true;
    if (!is_write(e) && class_of(e.kind) == EventClass::access) continue;
    u.last_change = i + 1;
    if (u.shared) u.ordered = false;
  }
  return uses;
}

// Keeps the most telling `limit` of `shown`.
void thin_out(const Trace& t, const std::vector<bool>& named, std::size_t limit,
              std::vector<std::size_t>& shown) {
  const std::size_t n = shown.size();
  std::vector<int> weight(n, 0);
  const auto raise = [&](std::size_t from, std::size_t to, int w) {
    for (std::size_t i = from; i < std::min(to, n); ++i) weight[i] = std::max(weight[i], w);
  };
  raise(n > kAtEnd ? n - kAtEnd : 0, n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    if (named[shown[i]]) raise(i, i + 1, 4);
    const bool switches = i > 0 && t.events[shown[i]].thread != t.events[shown[i - 1]].thread;
    if (!switches) continue;
    const bool interruption = is_preempted_before(t, shown[i]);
    if (interruption) raise(i - std::min(i, kBeforeInterruption), i + kAfterInterruption, 2);
    if (interruption) raise(i - 1, i + 1, 3);
    raise(i - 1, i + 1, 1);
  }
  // Later events are nearer to the failure: of equal weight the last ones stay.
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weight[a] != weight[b] ? weight[a] > weight[b] : a > b;
  });
  std::vector<bool> keep(n, false);
  for (std::size_t i = 0; i < std::min(limit, n); ++i)
    if (weight[order[i]] > 0) keep[order[i]] = true;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < n; ++i) {
    // A gap of one event costs as much room as the event itself.
    const bool lone = !keep[i] && i > 0 && i + 1 < n && keep[i - 1] && keep[i + 1];
    if (keep[i] || lone) kept.push_back(shown[i]);
  }
  shown = std::move(kept);
}

// Called from a library and not, though it may have been inlined, from the program itself.
bool is_library_call(SymbolSource& symbols, const Event& e) {
  const std::vector<Frame>& frames = symbols.frames(e.pc);
  return e.pc != 0 && std::none_of(frames.begin(), frames.end(), is_user_frame);
}

// What the event does cannot depend on other threads, nor they on it.
bool is_private(SymbolSource& symbols, const Event& e, const Use& use) {
  if (use.shared) return false;
  return class_of(e.kind) == EventClass::access || is_library_call(symbols, e);
}

}  // namespace

Selection select_events(View& v, std::size_t limit) {
  const Trace& t = v.trace;
  Selection s;
  const std::vector<bool> named = named_events(t);
  const auto uses = uses_of(t);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    const Event& e = t.events[i];
    if (!named[i]) {
      if (e.kind == EventKind::alloc || e.kind == EventKind::free) continue;
      if (const auto use = uses.find(e.address); use != uses.end()) {
        const bool access = class_of(e.kind) == EventClass::access;
        if (access && use->second.is_lock) continue;
        if (access && use->second.shared && use->second.ordered) continue;
        if (is_private(v.symbols, e, use->second)) {
          ++s.private_events;
          continue;
        }
      }
    }
    shown.push_back(i);
  }
  std::vector<std::size_t> all = shown;
  if (shown.size() > std::max<std::size_t>(limit, kAtEnd)) thin_out(t, named, limit, shown);
  s.events = shown;
  s.skipped.assign(shown.size() + 1, 0);
  std::size_t k = 0;
  for (const std::size_t i : all) {
    if (k < shown.size() && shown[k] == i)
      ++k;
    else
      ++s.skipped[k];
  }
  return s;
}

}  // namespace jostle::report
