#include "cover/order_problem.h"

#include <algorithm>

namespace jostle::covering {
namespace {

constexpr std::uint32_t kNone = ~0u;

constexpr const char* kOrdered = "threads are created or joined in between";
constexpr const char* kBetween = "another access always comes between";
constexpr const char* kExcluded = "critical sections of one lock exclude it";
constexpr const char* kRead = "a thread would read something else";

}  // namespace

bool OrderProblem::require(std::uint32_t n) {
  std::uint32_t& need = need_[f_.nodes_[n].thread];
  if (need > f_.nodes_[n].position) return false;
  need = f_.nodes_[n].position + 1;
  return true;
}

void OrderProblem::find_needs(const Dependency* d, std::size_t count, bool same_reads) {
  need_.assign(f_.by_thread_.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    require(d[i].from);
    require(d[i].to);
  }
  std::vector<std::uint32_t> done(need_.size(), 0);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t t = 0; t < need_.size(); ++t) {
      if (need_[t] > 0 && f_.created_by_[t] != kNone) again |= require(f_.created_by_[t]);
      for (; done[t] < need_[t]; ++done[t]) {
        const Node& n = f_.nodes_[f_.by_thread_[t][done[t]]];
        // What the last operation reads does not matter any more.
        if (done[t] + 1 == need_[t] && is_memory(n.did)) break;
        again = true;
        if (n.did == Did::join)
          need_[n.object] = static_cast<std::uint32_t>(f_.by_thread_[n.object].size());
        if (same_reads && n.source != kNone) require(n.source);
      }
    }
  }
}

OrderProblem::OrderProblem(const Feasibility& f, const Dependency* d, std::size_t count, bool pair,
                           Feasibility::Reads reads)
    : f_(f), order_({}) {
  const bool same = reads == Feasibility::Reads::same;
  find_needs(d, count, same);
  std::size_t total = 0;
  for (const std::uint32_t n : need_) total += n;
  if (total > Feasibility::kMostNodes) {
    too_large_ = true;
    return;
  }
  chosen_.reserve(total);
  for (std::size_t t = 0; t < need_.size(); ++t)
    chosen_.insert(chosen_.end(), f_.by_thread_[t].begin(), f_.by_thread_[t].begin() + need_[t]);
  std::sort(chosen_.begin(), chosen_.end());
  std::vector<std::uint32_t> lengths = need_;
  for (std::uint32_t& n : lengths) ++n;
  order_ = Order(lengths);
  for (const std::uint32_t i : chosen_) {
    const Node& n = f_.nodes_[i];
    if (n.did == Did::fork && need_[n.object] > 0)
      edge(point(i), {static_cast<std::uint32_t>(n.object), 0}, kOrdered);
    if (n.did == Did::join && need_[n.object] > 0)
      edge({static_cast<std::uint32_t>(n.object), need_[n.object] - 1}, point(i), kOrdered);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!edge(point(d[i].from), point(d[i].to), kOrdered)) return;
  for (std::size_t i = 0; i < count; ++i) keep_apart(d[i], pair);
  exclude();
  if (same && !keep_reads()) return;
  too_large_ |= open_.size() > kMostAlternatives;
}

bool OrderProblem::edge(Point a, Point b, const char* reason) {
  edges_.push_back({a, b});
  if (order_.add(a, b)) return true;
  contradiction_ = true;
  reason_ = reason;
  return false;
}

// Nothing comes between.
void OrderProblem::keep_apart(const Dependency& d, bool pair) {
  const Address object = f_.nodes_[d.from].object;
  for (const std::uint32_t i : chosen_) {
    const Node& n = f_.nodes_[i];
    if (i == d.from || i == d.to || n.access == kNone || n.object != object) continue;
    if (!pair || is_acquire(n.did))
      open_.push_back({{point(i), point(d.from)}, {point(d.to), point(i)}, false});
  }
}

void OrderProblem::exclude() {
  struct Section {
    Point begin, end;
    Address lock;
    bool shared, closed;
  };
  std::vector<Section> sections;
  std::unordered_map<Address, std::vector<std::size_t>> by_lock;
  for (const std::uint32_t i : chosen_) {
    const Node& n = f_.nodes_[i];
    if (is_acquire(n.did)) {
      by_lock[n.object].push_back(sections.size());
      sections.push_back({point(i), beyond(n.thread), n.object, n.did == Did::read_acquire, false});
    }
    if (!is_release(n.did)) continue;
    auto& own = by_lock[n.object];
    for (auto s = own.rbegin(); s != own.rend(); ++s)
      if (sections[*s].begin.thread == n.thread && !sections[*s].closed) {
        sections[*s].end = point(i);
        sections[*s].closed = true;
        break;
      }
  }
  for (std::size_t i = 0; i < sections.size(); ++i)
    for (const std::size_t j : by_lock[sections[i].lock]) {
      const Section &x = sections[i], &y = sections[j];
      if (j <= i || x.begin.thread == y.begin.thread || (x.shared && y.shared)) continue;
      if (open_.size() > kMostAlternatives) return;
      open_.push_back({{x.end, y.begin}, {y.end, x.begin}, true});
    }
}

// Reads see what they saw, and waits are ended by whom they were.
bool OrderProblem::keep_reads() {
  std::unordered_map<Address, std::vector<std::uint32_t>> writes;
  for (const std::uint32_t i : chosen_)
    if (f_.nodes_[i].did == Did::write) writes[f_.nodes_[i].object].push_back(i);
  for (const std::uint32_t i : chosen_) {
    const Node& n = f_.nodes_[i];
    const bool last = n.position + 1 == need_[n.thread];
    if (is_memory(n.did) && (!n.reads || last)) continue;
    if (n.source != kNone && f_.nodes_[n.source].thread != n.thread &&
        !edge(point(n.source), point(i), kRead))
      return false;
    if (!is_memory(n.did)) continue;
    for (const std::uint32_t w : writes[n.object]) {
      if (w == i || w == n.source) continue;
      if (n.source == kNone) {
        if (!edge(point(i), point(w), kRead)) return false;
      } else if (open_.size() <= kMostAlternatives) {
        open_.push_back({{point(w), point(n.source)}, {point(i), point(w)}, false});
      }
    }
  }
  return true;
}

// Takes the only side that is left. False if there is none.
bool OrderProblem::settle(const Either& e, bool& decided) {
  const bool first = !order_.before(e.first.to, e.first.from) && e.first.to != e.first.from;
  const bool second = !order_.before(e.second.to, e.second.from) && e.second.to != e.second.from;
  decided = !first || !second;
  if (!decided) return true;
  if (first || second)
    return edge(first ? e.first.from : e.second.from, first ? e.first.to : e.second.to,
                e.exclusion ? kExcluded : kBetween);
  reason_ = e.exclusion ? kExcluded : kBetween;
  contradiction_ = true;
  return false;
}

bool OrderProblem::close() {
  if (contradiction_) return false;
  for (bool again = true; again;) {
    again = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Either e = open_[i];
      // Nothing to be decided: one side holds already.
      if (order_.before(e.first.from, e.first.to) || order_.before(e.second.from, e.second.to))
        continue;
      bool decided = false;
      if (!settle(e, decided)) return false;
      again |= decided;
      if (!decided) open_[kept++] = e;
    }
    open_.resize(kept);
  }
  return true;
}

std::uint64_t OrderProblem::when(Point p) const {
  if (p.position < need_[p.thread]) return f_.by_thread_[p.thread][p.position];
  return f_.nodes_.size();
}

bool OrderProblem::decide() {
  if (!close()) return false;
  // Looking for what follows after each decision takes long if there are many.
  for (std::size_t i = 0; i < open_.size();) {
    const Either e = open_[i];
    const bool as_recorded = when(e.first.from) < when(e.first.to);
    const Edge& choice = as_recorded ? e.first : e.second;
    const Edge& other = as_recorded ? e.second : e.first;
    if (!order_.add(choice.from, choice.to) && !order_.add(other.from, other.to)) return false;
    ++i;
    if (open_.size() - i > kMostFollowed) continue;
    open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
    if (!close()) return false;
  }
  open_.clear();
  return true;
}

Solution::Answer OrderProblem::ask_solver() {
  const Solution s = solve(edges_, open_);
  if (s.answer != Solution::Answer::found) return s.answer;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Edge& e = s.first[i] ? open_[i].first : open_[i].second;
    if (!order_.add(e.from, e.to)) return Solution::Answer::unknown;
  }
  open_.clear();
  return s.answer;
}

std::vector<Turn> OrderProblem::turns() const {
  std::vector<Turn> out;
  std::vector<std::uint32_t> made(need_.size(), 0);
  for (std::size_t n = 0; n < chosen_.size(); ++n) {
    std::uint64_t earliest = ~0ull;
    std::uint32_t next = 0;
    for (std::uint32_t t = 0; t < need_.size(); ++t) {
      const Point p{t, made[t]};
      if (made[t] == need_[t] || when(p) >= earliest) continue;
      bool ready = true;
      for (std::uint32_t u = 0; u < need_.size() && ready; ++u)
        ready = u == t || made[u] == need_[u] || !order_.before({u, made[u]}, p);
      if (!ready) continue;
      earliest = when(p);
      next = t;
    }
    if (earliest == ~0ull) break;
    const Node& made_now = node({next, made[next]++});
    if (made_now.access != kNone) {
      const Access& a = f_.e_.accesses[made_now.access];
      out.push_back({made_now.thread, a.site, address_of(a.object)});
    }
    if (made_now.did == Did::fork) out.push_back({made_now.thread, kCreates});
  }
  return out;
}

}  // namespace jostle::covering
