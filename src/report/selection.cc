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
  return named;
}

// Address -> the only thread that accessed it, or kNoThread if there were several.
std::unordered_map<Address, ThreadId> owners(const Trace& t) {
  std::unordered_map<Address, ThreadId> only;
  for (const Event& e : t.events) {
    if (e.address == 0 || e.kind == EventKind::alloc) continue;
    const auto [entry, is_new] = only.try_emplace(e.address, e.thread);
    if (!is_new && entry->second != e.thread) entry->second = kNoThread;
  }
  return only;
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

}  // namespace

Selection select_events(const Trace& t, std::size_t limit) {
  Selection s;
  const std::vector<bool> named = named_events(t);
  const auto only = owners(t);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    const Event& e = t.events[i];
    if (!named[i]) {
      if (e.kind == EventKind::alloc || e.kind == EventKind::free) continue;
      const auto owner = only.find(e.address);
      if (class_of(e.kind) == EventClass::access && owner != only.end() &&
          owner->second != kNoThread) {
        ++s.private_accesses;
        continue;
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
