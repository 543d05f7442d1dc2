// A search on its way, as bytes: what is done, what is to be done, and in which order.
#include "check/checker.h"

namespace jostle::checking {

void Tree::save(Writer& w) const {
  w.list(nodes_);
  w.list(free_);
  for (const More& m : more_) {
    w.list(m.departures);
    w.value<bool>(m.reduced != nullptr);
    if (!m.reduced) continue;
    w.list(m.reduced->turns);
    m.reduced->plan.save(w);
  }
  for (const std::uint64_t n : {live_, peak_, created_, besides_}) w.value(n);
}

bool Tree::load(Reader& r) {
  nodes_ = r.list<Node>();
  free_ = r.list<NodeId>();
  if (!r.ok() || nodes_.empty()) return false;
  cut_trail(0);
  more_.clear();
  more_.resize(nodes_.size());
  for (More& m : more_) {
    m.departures = r.list<Forced>();
    if (!r.value<bool>()) continue;
    m.reduced = std::make_unique<Reduced>();
    m.reduced->turns = r.list<Listed>();
    if (!m.reduced->plan.load(r)) return false;
    for (const Listed& t : m.reduced->turns)
      if (t.node != kNoNode && !t.away() && t.node >= nodes_.size()) return false;
  }
  for (std::uint64_t* n : {&live_, &peak_, &created_, &besides_}) *n = r.value<std::uint64_t>();
  // Whatever else is wrong with them, they lie in the tree, and lead to its root.
  for (NodeId n = 0; n < nodes_.size(); ++n)
    if (n == kRoot ? nodes_[n].parent != kNoNode
                   : nodes_[n].parent >= nodes_.size() || nodes_[n].parent == n)
      return false;
  for (const NodeId n : free_)
    if (n >= nodes_.size()) return false;
  return r.ok();
}

bool Tree::has_roots(std::size_t most) const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [&](const Node& n) { return n.thread != kNoThread || n.choice < most; });
}

void Checker::save(Writer& w) {
  w.value(search_.reduction);
  w.value(names_);
  tree_.save(w);
  w.value<std::uint64_t>(fringe_.orders());
  w.value<std::uint64_t>(fringe_.turn());
  w.value<std::uint64_t>(fringe_.size());
  for (std::size_t i = 0; i < fringe_.orders(); ++i)
    fringe_.each(i, [&](NodeId n, Cost cost) {
      w.value(n);
      w.value(cost);
    });
  spill_.save(w);
  for (const std::uint64_t n : {counts_.executed, counts_.classes, counts_.blocked,
                                counts_.left_out, counts_.departed, counts_.repeated})
    w.value(n);
  w.list(all_fails_);
  w.value(counts_.deepest);
  w.value(counts_.preemptions);
  for (const bool b : {counts_.truncated, counts_.held_back, counts_.limit, counts_.limits})
    w.value(b);
  w.text(counts_.beyond);
  w.value(number_);
  w.list(std::vector<std::uint64_t>(classes_.begin(), classes_.end()));
}

bool Checker::load(Reader& r) {
  const auto reduction = r.value<Reduction>();
  start(reduction == Reduction::none ? reduction : wanted_);
  names_ = r.value<Names>();
  fringe_.clear();
  const auto give_up = [&] {
    start();
    return false;
  };
  if (!r.ok() || names_.count > kMaxThreads || !tree_.load(r)) return give_up();
  const auto orders = r.value<std::uint64_t>(), turn = r.value<std::uint64_t>();
  fringe_.set_turn(turn);
  const auto leaves = r.value<std::uint64_t>();
  // With more or fewer processors there may be more or fewer orders than there were.
  for (std::uint64_t i = 0; i < leaves * orders && r.ok(); ++i) {
    const auto n = r.value<NodeId>();
    const auto cost = r.value<Cost>();
    if (n >= tree_.size()) return give_up();
    if (i / leaves < fringe_.orders()) fringe_.restore(i / leaves, n, cost);
    for (std::uint64_t k = orders; i < leaves && k < fringe_.orders(); ++k)
      fringe_.restore(k, n, cost);
  }
  if (!spill_.load(r)) return give_up();
  for (std::uint64_t* n : {&counts_.executed, &counts_.classes, &counts_.blocked, &counts_.left_out,
                           &counts_.departed, &counts_.repeated})
    *n = r.value<std::uint64_t>();
  all_fails_ = r.list<Fails>();
  if (all_fails_.empty() || !tree_.has_roots(all_fails_.size())) return give_up();
  for (const Fails& f : all_fails_)
    if (f.count > Fails::kMost) return give_up();
  counts_.deepest = r.value<std::uint32_t>();
  counts_.preemptions = r.value<std::uint32_t>();
  for (bool* b : {&counts_.truncated, &counts_.held_back, &counts_.limit, &counts_.limits})
    *b = r.value<bool>();
  counts_.beyond = r.text();
  number_ = r.value<std::uint32_t>();
  for (const std::uint64_t c : r.list<std::uint64_t>()) classes_.insert(c);
  return r.ok() || give_up();
}

}  // namespace jostle::checking
