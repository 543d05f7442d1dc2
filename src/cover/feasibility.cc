#include "cover/feasibility.h"

#include <map>

#include "cover/order_problem.h"

namespace jostle::covering {
namespace {

constexpr std::uint32_t kNone = ~0u;

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
      if (is_acquire(r.did) || is_release(r.did)) continue;
      const bool of_threads = r.did == Did::fork || r.did == Did::join;
      if (of_threads && r.object >= by_thread_.size()) continue;
      if (r.did == Did::fork) created_by_[r.object] = static_cast<std::uint32_t>(nodes_.size());
      add({r.thread, 0, r.did, false, r.object, kNone, kNone});
    }
    if (i == e.accesses.size()) break;
    const Access& a = e.accesses[i];
    by_site_[a.site].push_back(static_cast<std::uint32_t>(nodes_.size()));
    add({a.thread, 0, a.did, a.reads, a.object, i, kNone});
  }
  find_sources();
}

void Feasibility::find_sources() {
  std::unordered_map<Address, std::uint32_t> wrote, gave;  // gave: a signal, a post, an arrival
  std::map<ThreadId, Address> waits;                       // on conditions
  const auto from = [](const auto& map, Address object) {
    const auto it = map.find(object);
    return it == map.end() ? kNone : it->second;
  };
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    Node& n = nodes_[i];
    if (n.reads) n.source = from(wrote, n.object);
    switch (n.did) {
      case Did::write:
        wrote[n.object] = i;
        break;
      case Did::signal:
      case Did::post:
      case Did::arrive:
        gave[n.object] = i;
        break;
      case Did::take:
      case Did::leave:
        n.source = from(gave, n.object);
        break;
      case Did::wait:
        waits[n.thread] = n.object;
        break;
      case Did::acquire:
        if (const auto it = waits.find(n.thread); it != waits.end()) {
          n.source = from(gave, it->second);
          waits.erase(it);
        }
        break;
      default:
        break;
    }
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
                                       std::string& reason) const {
  Answer answer = Answer::unknown;
  std::size_t instances = 0;
  const bool all = each_instance(item, window, [&](const Dependency* d, std::size_t n) {
    answer = Answer::unknown;
    if (++instances > kMostInstances) return false;
    OrderProblem problem(*this, d, n, item.idiom == Idiom::pair, Reads::any);
    if (problem.too_large()) return false;
    answer = problem.close() ? Answer::possible : Answer::infeasible;
    reason = problem.reason();
    return answer == Answer::infeasible;
  });
  return all && instances == 0 ? Answer::unknown : answer;
}

Feasibility::Witness Feasibility::witness(const Item& item, std::uint32_t window,
                                          Reads reads) const {
  Witness w;
  std::size_t instances = 0;
  const bool all = each_instance(item, window, [&](const Dependency* d, std::size_t n) {
    if (++instances > kMostWitnesses) return false;
    OrderProblem problem(*this, d, n, item.idiom == Idiom::pair, reads);
    if (problem.too_large()) return false;
    if (!problem.close()) return true;
    OrderProblem decided = problem;
    if (decided.decide()) {
      w.turns = decided.turns();
      return false;
    }
    const Solution::Answer answer = problem.ask_solver();
    w.by_solver |= answer != Solution::Answer::unknown;
    if (answer == Solution::Answer::found) w.turns = problem.turns();
    return answer == Solution::Answer::none;
  });
  w.infeasible = all && instances > 0 && reads == Reads::any;
  return w;
}

}  // namespace jostle::covering
