#include "cover/profiler.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "cover/clocks.h"

namespace jostle::covering {
namespace {

constexpr std::uint32_t kNone = ~0u;

// A lock that was held during an access.
struct Held {
  Address lock = 0;
  std::uint32_t section = 0;  // the how-manieth of its thread with that lock
  bool first = true, last = true;
};

struct Entry {
  SiteKey site = 0;
  Address object = 0;
  ThreadId thread = 0;
  Did did = Did::read;
  std::uint32_t version = 0;  // of the thread's clock
  std::vector<Held> locks;
  std::vector<std::uint32_t> before, after;  // entries that it may depend on, and that may on it

  bool same(const Entry& o) const {
    return site == o.site && version == o.version && did == o.did &&
           std::equal(locks.begin(), locks.end(), o.locks.begin(), o.locks.end(),
                      [](const Held& x, const Held& y) {
                        return x.lock == y.lock && x.first == y.first && x.last == y.last;
                      });
  }
};

// Pairs of entries of one thread, in the order in which they were met.
class LocalPairs {
 public:
  struct Pair {
    std::uint32_t first, second;
    bool near = false;   // within a window, somewhere
    bool clean = false;  // and there the thread touches neither object in between
  };
  // The one of these two; a new one if there is none.
  Pair& of(std::uint32_t first, std::uint32_t second, bool& fresh) {
    if (pairs_.size() * 2 >= slots_.size()) grow();
    std::uint32_t& s = slots_[find(first, second)];
    fresh = s == 0;
    if (fresh) {
      pairs_.push_back({first, second});
      s = static_cast<std::uint32_t>(pairs_.size());
    }
    return pairs_[s - 1];
  }
  auto begin() const { return pairs_.begin(); }
  auto end() const { return pairs_.end(); }

 private:
  std::size_t find(std::uint32_t first, std::uint32_t second) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix64(static_cast<std::uint64_t>(first) << 32 | second) & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask)
      if (const Pair& p = pairs_[slots_[at] - 1]; p.first == first && p.second == second) break;
    return at;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t n = 0; n < pairs_.size(); ++n)
      slots_[find(pairs_[n].first, pairs_[n].second)] = n + 1;
  }
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024);  // 1 + index of a pair
};

class Profile {
 public:
  Profile(const Execution& e, std::uint32_t window, Items& out)
      : e_(e),
        window_(window),
        out_(out),
        clocks_(e.by_thread.size()),
        held_(e.by_thread.size()),
        sections_(e.by_thread.size()),
        entry_of_(e.accesses.size(), kNone) {}

  void go() {
    auto other = e_.others.begin();
    for (std::uint32_t i = 0; i <= e_.accesses.size(); ++i) {
      for (; other != e_.others.end() && other->before == i; ++other) {
        clocks_.apply(other->record);
        locking(other->record.thread, object_of(other->record), other->record.did);
      }
      if (i == e_.accesses.size()) break;
      access(i);
    }
    for (auto& [key, index] : open_) settle(index);
    locate();
    local_pairs();
    for (Entry& e : entries_) {
      group(e.after);
      group(e.before);
    }
    correlate();
  }

 private:
  void access(std::uint32_t i) {
    const Access& a = e_.accesses[i];
    if (is_release(a.did)) locking(a.thread, a.object, a.did);  // the lock does not guard itself
    const auto [it, fresh] = open_.try_emplace({a.object, a.thread}, Open{});
    Open& open = it->second;
    if (!fresh) settle(open);
    std::vector<Held> before = std::move(open.entry.locks);
    open.access = i;
    open.entry = {a.site, a.object, a.thread, a.did, clocks_.version(a.thread), {}, {}, {}};
    for (const auto& [lock, section] : held_[a.thread]) {
      Held h{lock, section, true, true};
      for (const Held& p : before) h.first &= p.lock != lock || p.section != section;
      open.entry.locks.push_back(h);
    }
    if (clock_.size() <= a.thread) clock_.resize(e_.by_thread.size());
    auto& clocks = clock_[a.thread];
    if (clocks.size() <= open.entry.version) clocks.resize(open.entry.version + 1);
    if (clocks[open.entry.version].empty()) clocks[open.entry.version] = clocks_.of(a.thread);
    if (is_acquire(a.did)) {
      clocks_.apply({0, a.object & ~(1ull << 63), a.thread, a.did});
      locking(a.thread, a.object, a.did);
    }
  }

  void locking(ThreadId t, Address lock, Did did) {
    if (did == Did::acquire) held_[t][lock] = ++sections_[t][lock];
    if (did == Did::release) held_[t].erase(lock);
  }

  struct Open {
    Entry entry;
    std::uint32_t access = 0;
  };

  // All is known about the access now.
  void settle(Open& open) {
    Entry e = open.entry;
    for (Held& h : e.locks) {
      const auto it = held_[e.thread].find(h.lock);
      h.last = it == held_[e.thread].end() || it->second != h.section;
    }
    auto& threads = histories_[e.object];
    auto& own = threads[e.thread];
    for (const std::uint32_t i : own)
      if (entries_[i].same(e)) {
        entry_of_[open.access] = i;
        return;  // no comparison could come to anything new
      }
    const auto index = static_cast<std::uint32_t>(entries_.size());
    entry_of_[open.access] = index;
    make_room(own, e.site);
    own.push_back(index);
    entries_.push_back(std::move(e));
    for (const auto& [thread, history] : threads) {
      if (thread == entries_[index].thread) continue;
      for (const std::uint32_t i : history) {
        predict(i, index);
        predict(index, i);
      }
    }
  }

  // What a place did many times to an object is compared with the first of what others did, and
  // with the last: all with all would take for ever, and hardly ever come to anything new.
  void make_room(std::vector<std::uint32_t>& own, SiteKey site) const {
    constexpr std::uint32_t kFirst = 32, kLast = 32;
    std::uint32_t count = 0;
    auto oldest = own.end();
    for (auto i = own.begin(); i != own.end(); ++i)
      if (entries_[*i].site == site && count++ == kFirst) oldest = i;
    if (count >= kFirst + kLast) own.erase(oldest);
  }

  bool comes_before(const Entry& a, const Entry& b) const {
    return clock_[b.thread][b.version][a.thread] >= clock_[a.thread][a.version][a.thread];
  }

  // May b depend on a?
  void predict(std::uint32_t from, std::uint32_t to) {
    Entry &a = entries_[from], &b = entries_[to];
    if (!conflicting(a.did, b.did) || comes_before(b, a)) return;
    for (const Held& x : a.locks)
      for (const Held& y : b.locks)
        if (x.lock == y.lock && !(x.last && y.first)) return;
    a.after.push_back(to);
    b.before.push_back(from);
    out_.insert({Idiom::one, {a.site, b.site}});
  }

  // Where each entry was met, and where its thread touches the same object before and after.
  void locate() {
    const std::size_t n = e_.accesses.size();
    first_place_.assign(entries_.size() + 1, 0);
    for (std::uint32_t i = 0; i < n; ++i) ++first_place_[entry_of_[i] + 1];
    for (std::size_t k = 1; k < first_place_.size(); ++k) first_place_[k] += first_place_[k - 1];
    places_.resize(n);
    same_before_.assign(n, kNone);
    same_after_.assign(n, kNone);
    std::vector<std::uint32_t> room = first_place_;
    std::vector<std::uint32_t> last(e_.objects, kNone);
    for (const auto& own : e_.by_thread) {
      for (const std::uint32_t i : own) {
        places_[room[entry_of_[i]]++] = i;
        std::uint32_t& before = last[e_.accesses[i].number];
        if (before != kNone) {
          same_before_[i] = before;
          same_after_[before] = i;
        }
        before = i;
      }
      for (const std::uint32_t i : own) last[e_.accesses[i].number] = kNone;
    }
  }
  // Of two accesses of one thread: does it leave both objects alone in between?
  bool clean(std::uint32_t from, std::uint32_t to) const {
    return same_after_[from] >= to && (same_before_[to] == kNone || same_before_[to] <= from);
  }

  // The pairs that a prediction can begin with: where something depends on the first.
  void local_pairs() {
    for (const auto& own : e_.by_thread)
      for (std::uint32_t d = 0; d < own.size(); ++d) {
        const std::uint32_t to = entry_of_[own[d]];
        if (entries_[to].before.empty() && entries_[to].after.empty()) continue;
        for (std::uint32_t k = 1; k <= window_ && k <= d; ++k) {
          const std::uint32_t from = entry_of_[own[d - k]];
          if (entries_[from].after.empty()) continue;
          bool fresh;
          LocalPairs::Pair& p = local_.of(from, to, fresh);
          p.clean |= clean(own[d - k], own[d]);
        }
      }
  }

  // What is known of the others is worked out when it is asked for, once: in a long execution there
  // are many more of them than anybody asks for.
  const LocalPairs::Pair& pair(std::uint32_t first, std::uint32_t second) {
    bool fresh;
    LocalPairs::Pair& p = asked_.of(first, second, fresh);
    if (!fresh) return p;
    const auto* const from = places_.data() + first_place_[first];
    const auto* const from_end = places_.data() + first_place_[first + 1];
    const auto* const to = places_.data() + first_place_[second];
    const auto* const to_end = places_.data() + first_place_[second + 1];
    const auto look = [&](std::uint32_t i, std::uint32_t j) {
      if (e_.accesses[j].position - e_.accesses[i].position > window_) return;
      p.near = true;
      p.clean |= clean(i, j);
    };
    // Only the nearest can be clean.
    if (from_end - from <= to_end - to) {
      for (const auto* i = from; i != from_end && !p.clean; ++i)
        if (const auto* j = std::upper_bound(to, to_end, *i); j != to_end) look(*i, *j);
    } else {
      for (const auto* j = to; j != to_end && !p.clean; ++j)
        if (const auto* i = std::lower_bound(from, from_end, *j); i != from) look(*(i - 1), *j);
    }
    return p;
  }

  // Those of one thread at one place come one after the other.
  void group(std::vector<std::uint32_t>& entries) const {
    std::sort(entries.begin(), entries.end(), [&](std::uint32_t x, std::uint32_t y) {
      const Entry &a = entries_[x], &b = entries_[y];
      return std::tie(a.thread, a.site, x) < std::tie(b.thread, b.site, y);
    });
  }
  using Group = std::span<const std::uint32_t>;
  // Calls f with each group, in their order.
  template <class F>
  void each_group(const std::vector<std::uint32_t>& entries, F f) const {
    for (std::size_t i = 0, j = 0; i < entries.size(); i = j) {
      const Entry& first = entries_[entries[i]];
      for (j = i + 1; j < entries.size(); ++j)
        if (const Entry& e = entries_[entries[j]]; e.thread != first.thread || e.site != first.site)
          break;
      f(Group(entries.data() + i, j - i));
    }
  }

  // Joins local pairs with what idiom 1 predicts.
  void correlate() {
    for (const auto& [first, second, near, clean] : local_) {
      const Entry &a = entries_[first], &d = entries_[second];
      each_group(a.after, [&, clean = clean](Group i) {
        const ThreadId other = entries_[i[0]].thread;
        if (clean)
          each_group(d.before, [&](Group j) {
            if (entries_[j[0]].thread == other) surrounded(a, i, j, d);
          });
        if (a.object != d.object)
          each_group(d.after, [&](Group j) {
            if (entries_[j[0]].thread == other) side_by_side(a, i, d, j);
          });
      });
    }
  }

  // T1: A..D, with A=>B and C=>D.
  void surrounded(const Entry& a, Group i, Group j, const Entry& d) {
    const SiteKey b = entries_[i[0]].site, c = entries_[j[0]].site;
    const bool same = a.object == d.object;
    if (b == c)
      insert_if({Idiom::two, {a.site, b, d.site}}, [&] {
        return std::any_of(i.begin(), i.end(), [&](std::uint32_t x) {
          return std::binary_search(j.begin(), j.end(), x);
        });
      });
    insert_if({same ? Idiom::three : Idiom::four, {a.site, b, c, d.site}}, [&] {
      return some(i, j, [&](std::uint32_t x, std::uint32_t y) { return pair(x, y).near; });
    });
    if (!same)
      insert_if(Item::five(a.site, b, c, d.site), [&] {
        return some(j, i, [&](std::uint32_t x, std::uint32_t y) { return pair(x, y).clean; });
      });
  }

  // T1: A..C, with A=>B and C=>D.
  void side_by_side(const Entry& a, Group i, const Entry& c, Group j) {
    insert_if({Idiom::six, {a.site, entries_[i[0]].site, c.site, entries_[j[0]].site}}, [&] {
      return some(i, j, [&](std::uint32_t x, std::uint32_t y) { return pair(x, y).near; });
    });
  }

  // Whether f holds for an entry of the one and one of the other that comes within the window, if
  // only by where they were met first and last.
  template <class F>
  bool some(Group from, Group to, F f) const {
    for (const std::uint32_t x : from) {
      const std::uint32_t begin = position(first_place_[x]), end = position(last_place(x));
      for (const std::uint32_t y : to) {
        if (position(last_place(y)) <= begin) continue;
        if (position(first_place_[y]) > end + window_) break;  // they are in their order
        if (f(x, y)) return true;
      }
    }
    return false;
  }
  std::uint32_t last_place(std::uint32_t entry) const { return first_place_[entry + 1] - 1; }
  std::uint32_t position(std::uint32_t place) const { return e_.accesses[places_[place]].position; }

  // There are few items, and many ways to come to each of them.
  template <class F>
  void insert_if(const Item& item, F possible) {
    if (!out_.contains(item) && possible()) out_.insert(item);
  }

  const Execution& e_;
  std::uint32_t window_;
  Items& out_;
  Clocks clocks_;
  std::vector<std::map<Address, std::uint32_t>> held_;
  std::vector<std::unordered_map<Address, std::uint32_t>> sections_;
  std::vector<std::vector<Clocks::Clock>> clock_;  // by thread and version
  std::map<std::pair<Address, ThreadId>, Open> open_;
  std::vector<Entry> entries_;
  std::unordered_map<Address, std::map<ThreadId, std::vector<std::uint32_t>>> histories_;
  std::vector<std::uint32_t> entry_of_;                  // by access
  std::vector<std::uint32_t> same_before_, same_after_;  // by access, of its thread to its object
  std::vector<std::uint32_t> places_;                    // accesses, entry by entry
  std::vector<std::uint32_t> first_place_;               // in them, by entry
  LocalPairs local_, asked_;
};

}  // namespace

void predict_iroots(const Execution& e, std::uint32_t window, Items& out) {
  Profile(e, window, out).go();
}

namespace {

using Locks = std::vector<Address>;  // sorted

// A lock action, with all that the acceptance conditions ask about it.
struct Action {
  SiteKey site = 0;
  ThreadId thread = 0;
  Clocks::Clock clock;
  Locks held, to_next, from_previous;  // when it begins; all the way to the next; from the last
  friend auto operator<=>(const Action&, const Action&) = default;
};

bool disjoint(const Locks& a, const Locks& b) {
  return std::none_of(a.begin(), a.end(),
                      [&](Address x) { return std::binary_search(b.begin(), b.end(), x); });
}

}  // namespace

void estimate_pairs(const AccessRecord* records, std::size_t count, Items& out) {
  std::size_t threads = 0;
  for (std::size_t i = 0; i < count; ++i) {
    threads = std::max<std::size_t>(threads, records[i].thread + 1u);
    if (records[i].did == Did::fork)
      threads = std::max<std::size_t>(threads, records[i].object + 1);
  }
  Clocks clocks(threads);
  using Sections = std::map<Address, std::uint32_t>;
  std::vector<Sections> held(threads);
  std::uint32_t section = 0;
  struct Latest {
    Action action;
    Sections sections;
  };
  std::map<std::pair<Address, ThreadId>, Latest> latest;
  std::map<Address, std::set<Action>> by_lock;
  for (std::size_t n = 0; n < count; ++n) {
    const AccessRecord& r = records[n];
    clocks.apply(r, true);
    if (is_release(r.did)) held[r.thread].erase(r.object);
    if (!is_acquire(r.did)) continue;
    Action a{site_key(r.pc, r.did), r.thread, clocks.of(r.thread), {}, {}, {}};
    for (const auto& [lock, number] : held[r.thread]) a.held.push_back(lock);
    const auto [it, first] = latest.try_emplace({r.object, r.thread});
    Latest& before = it->second;
    if (!first) {
      for (const auto& [lock, number] : held[r.thread])
        if (const auto was = before.sections.find(lock);
            was != before.sections.end() && was->second == number)
          a.from_previous.push_back(lock);
      before.action.to_next = a.from_previous;
      out.insert({Idiom::pair, {before.action.site, a.site}});  // AC1
      by_lock[r.object].insert(std::move(before.action));
    }
    before = {std::move(a), held[r.thread]};
    if (r.did == Did::acquire) held[r.thread][r.object] = ++section;
  }
  for (auto& [key, last] : latest) by_lock[key.first].insert(std::move(last.action));
  for (const auto& [lock, actions] : by_lock)
    for (const Action& p : actions)
      for (const Action& q : actions)
        if (p.thread != q.thread && disjoint(p.to_next, q.held) &&  // AC2
            disjoint(q.from_previous, p.held) &&                    // AC3
            p.clock[q.thread] < q.clock[q.thread])                  // AC4: q does not come before p
          out.insert({Idiom::pair, {p.site, q.site}});
}

}  // namespace jostle::covering
