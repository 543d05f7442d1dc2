#include "cover/feasibility.h"

#include <algorithm>

namespace jostle::covering {
namespace {

constexpr std::uint32_t kNone = ~0u;

// What comes before what, closed under transitivity.
class Order {
 public:
  explicit Order(std::size_t n) : words_((n + 63) / 64), bits_(n * words_), n_(n) {}
  bool before(std::size_t a, std::size_t b) const {
    return bits_[a * words_ + b / 64] >> (b % 64) & 1;
  }
  // For edges in descending order of `a`, all after it being complete.
  void start(std::size_t a, std::size_t b) {
    bits_[a * words_ + b / 64] |= 1ull << (b % 64);
    for (std::size_t w = 0; w < words_; ++w) bits_[a * words_ + w] |= bits_[b * words_ + w];
  }
  // False if it contradicts what is there.
  bool add(std::size_t a, std::size_t b) {
    if (a == b || before(b, a)) return false;
    if (before(a, b)) return true;
    for (std::size_t x = 0; x < n_; ++x)
      if (x == a || before(x, a)) start(x, b);
    return true;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::size_t n_;
};

// One of the two holds.
struct Either {
  std::uint32_t a, b;  // a before b
  std::uint32_t c, d;  // or c before d
  bool exclusion;      // of critical sections
};

}  // namespace

Feasibility::Feasibility(const Execution& e)
    : e_(e), by_thread_(e.by_thread.size()), created_by_(e.by_thread.size(), kNone) {
  auto other = e.others.begin();
  const auto add = [&](Node n) {
    n.position = static_cast<std::uint32_t>(by_thread_[n.thread].size());
    by_thread_[n.thread].push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(n);
  };
  for (std::uint32_t i = 0; i <= e.accesses.size(); ++i) {
    for (; other != e.others.end() && other->before == i; ++other) {
      const AccessRecord& r = other->record;
      if (r.did != Did::fork && r.did != Did::join) continue;
      if (r.object >= by_thread_.size()) continue;
      if (r.did == Did::fork) created_by_[r.object] = static_cast<std::uint32_t>(nodes_.size());
      add({r.thread, 0, r.did, r.object, kNone});
    }
    if (i == e.accesses.size()) break;
    const Access& a = e.accesses[i];
    by_site_[a.site].push_back(static_cast<std::uint32_t>(nodes_.size()));
    add({a.thread, 0, a.did, a.object, i});
  }
}

bool Feasibility::within(std::uint32_t from, std::uint32_t to, std::uint32_t window) const {
  const Access &a = e_.accesses[nodes_[from].access], &b = e_.accesses[nodes_[to].access];
  return a.thread == b.thread && a.position < b.position && b.position - a.position <= window;
}

// Does the thread leave the objects of both alone in between?
bool Feasibility::clean(std::uint32_t from, std::uint32_t to) const {
  const Access &a = e_.accesses[nodes_[from].access], &b = e_.accesses[nodes_[to].access];
  for (std::uint32_t k = a.position + 1; k < b.position; ++k) {
    const Address o = e_.accesses[e_.by_thread[a.thread][k]].object;
    if (o == a.object || o == b.object) return false;
  }
  return true;
}

// False if f was.
template <class F>
bool Feasibility::each_dependency(SiteKey from, SiteKey to, F f) const {
  const auto first = by_site_.find(from), second = by_site_.find(to);
  if (first == by_site_.end() || second == by_site_.end()) return true;
  for (const std::uint32_t a : first->second)
    for (const std::uint32_t b : second->second) {
      const Node &x = nodes_[a], &y = nodes_[b];
      if (x.thread != y.thread && x.object == y.object && conflicting(x.did, y.did) &&
          !f(Dependency{a, b}))
        return false;
    }
  return true;
}

template <class F>
bool Feasibility::each_instance(const Item& item, std::uint32_t window, F f) const {
  const auto thread = [&](std::uint32_t n) { return nodes_[n].thread; };
  const auto same = [&](std::uint32_t a, std::uint32_t b) {
    return nodes_[a].object == nodes_[b].object;
  };
  if (item.idiom == Idiom::pair) {
    const auto first = by_site_.find(item.at[0]), second = by_site_.find(item.at[1]);
    if (first == by_site_.end() || second == by_site_.end()) return true;
    for (const std::uint32_t a : first->second)
      for (const std::uint32_t b : second->second) {
        const Dependency d{a, b};
        if (a != b && same(a, b) && !f(&d, 1)) return false;
      }
    return true;
  }
  return each_dependency(item.at[0], item.at[1], [&](const Dependency& ab) {
    if (item.idiom == Idiom::one) return f(&ab, 1);
    const bool two = item.idiom == Idiom::two;
    return each_dependency(item.at[two ? 1 : 2], item.at[two ? 2 : 3], [&](const Dependency& cd) {
      const std::uint32_t a = ab.from, b = ab.to, c = cd.from, d = cd.to;
      bool fits = false;
      switch (item.idiom) {
        case Idiom::two:
          fits = b == c && thread(a) == thread(d) && within(a, d, window) && clean(a, d);
          break;
        case Idiom::three:
        case Idiom::four:
          fits = thread(a) == thread(d) && thread(b) == thread(c) &&
                 same(a, d) == (item.idiom == Idiom::three) && within(a, d, window) &&
                 within(b, c, window) && clean(a, d);
          break;
        case Idiom::five:
          fits = thread(a) == thread(d) && thread(b) == thread(c) && !same(a, d) &&
                 within(a, d, window) && within(c, b, window) && clean(a, d) && clean(c, b);
          break;
        default:
          fits = thread(a) == thread(c) && thread(b) == thread(d) && !same(a, c) &&
                 within(a, c, window) && within(b, d, window);
      }
      const Dependency both[] = {ab, cd};
      return !fits || f(both, 2);
    });
  });
}

Feasibility::Answer Feasibility::judge(const Item& item, std::uint32_t window,
                                       std::string& reason) {
  Answer answer = Answer::unknown;
  std::size_t instances = 0;
  const bool all = each_instance(item, window, [&](const Dependency* d, std::size_t n) {
    answer = ++instances > kMostInstances ? Answer::unknown
                                          : judge(d, n, item.idiom == Idiom::pair, reason);
    return answer == Answer::infeasible;
  });
  return all && instances == 0 ? Answer::unknown : answer;
}

Feasibility::Answer Feasibility::judge(const Dependency* dependencies, std::size_t count, bool pair,
                                       std::string& reason) {
  // How much of each thread is needed.
  std::vector<std::uint32_t> need(by_thread_.size(), 0), done(by_thread_.size(), 0);
  const auto require = [&](std::uint32_t n) {
    need[nodes_[n].thread] = std::max(need[nodes_[n].thread], nodes_[n].position + 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    require(dependencies[i].from);
    require(dependencies[i].to);
  }
  for (bool again = true; again;) {
    again = false;
    for (std::size_t t = 0; t < need.size(); ++t) {
      if (need[t] > 0 && created_by_[t] != kNone) require(created_by_[t]);
      for (; done[t] < need[t]; ++done[t]) {
        again = true;
        const Node& n = nodes_[by_thread_[t][done[t]]];
        if (n.did == Did::join)
          need[n.object] = static_cast<std::uint32_t>(by_thread_[n.object].size());
      }
    }
  }
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> index(nodes_.size(), kNone);
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].position < need[nodes_[n].thread]) {
      index[n] = static_cast<std::uint32_t>(chosen.size());
      chosen.push_back(n);
    }
  if (chosen.size() > kMostNodes) return Answer::unknown;

  // After what is needed of a thread, it goes on and leaves its critical sections: what else it
  // would do until then is not held against the item.
  const auto beyond = [&](ThreadId t) { return static_cast<std::uint32_t>(chosen.size() + t); };
  Order order(chosen.size() + need.size());
  for (std::size_t k = chosen.size(); k-- > 0;) {
    const Node& n = nodes_[chosen[k]];
    const auto& own = by_thread_[n.thread];
    const bool more = n.position + 1 < need[n.thread];
    order.start(k, more ? index[own[n.position + 1]] : beyond(n.thread));
    if (n.did == Did::fork && need[n.object] > 0) order.start(k, index[by_thread_[n.object][0]]);
    // The end of a thread comes before whoever joins it.
    if (n.position + 1 == own.size())
      for (std::size_t j = k + 1; j < chosen.size(); ++j)
        if (nodes_[chosen[j]].did == Did::join && nodes_[chosen[j]].object == n.thread)
          order.start(k, j);
  }
  static constexpr const char* kOrdered = "threads are created or joined in between";
  static constexpr const char* kBetween = "another access always comes between";
  static constexpr const char* kExcluded = "critical sections of one lock exclude it";
  for (std::size_t i = 0; i < count; ++i)
    if (!order.add(index[dependencies[i].from], index[dependencies[i].to])) {
      reason = kOrdered;
      return Answer::infeasible;
    }

  std::vector<Either> open;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t from = index[dependencies[i].from], to = index[dependencies[i].to];
    const Address object = nodes_[dependencies[i].from].object;
    for (std::uint32_t k = 0; k < chosen.size(); ++k) {
      const Node& n = nodes_[chosen[k]];
      if (k == from || k == to || n.access == kNone || n.object != object) continue;
      if (!pair || is_acquire(n.did)) open.push_back({k, from, to, k, false});
    }
  }
  struct Section {
    std::uint32_t begin, end;
    ThreadId thread;
    Address lock;
    bool shared;
  };
  std::vector<Section> sections;
  for (std::uint32_t k = 0; k < chosen.size(); ++k) {
    const Node& n = nodes_[chosen[k]];
    if (is_acquire(n.did))
      sections.push_back({k, kNone, n.thread, n.object, n.did == Did::read_acquire});
    if (is_release(n.did))
      for (auto s = sections.rbegin(); s != sections.rend(); ++s)
        if (s->thread == n.thread && s->lock == n.object && s->end == kNone) {
          s->end = k;
          break;
        }
  }
  for (Section& s : sections)
    if (s.end == kNone) s.end = beyond(s.thread);
  for (std::size_t i = 0; i < sections.size(); ++i)
    for (std::size_t j = i + 1; j < sections.size(); ++j) {
      const Section &x = sections[i], &y = sections[j];
      if (x.lock == y.lock && x.thread != y.thread && !(x.shared && y.shared))
        open.push_back({x.end, y.begin, y.end, x.begin, true});
    }

  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < open.size();) {
      const Either& e = open[i];
      const bool first = !order.before(e.b, e.a), second = !order.before(e.d, e.c);
      if (first && second) {
        ++i;
        continue;
      }
      if (!(first ? order.add(e.a, e.b) : second && order.add(e.c, e.d))) {
        reason = e.exclusion ? kExcluded : kBetween;
        return Answer::infeasible;
      }
      open[i] = open.back();
      open.pop_back();
      again = true;
    }
  }
  return Answer::possible;
}

}  // namespace jostle::covering
