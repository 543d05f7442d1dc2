#include "check/tree.h"

#include <algorithm>

namespace jostle::checking {

void Tree::clear() {
  nodes_.assign(1, Node{kNoNode, 0, 0, 0, 0, 0, 0, 0, 0});
  more_.clear();
  more_.resize(1);
  free_.clear();
  live_ = peak_ = created_ = 1;
  besides_ = 0;
}

NodeId Tree::place(const Node& node, const Sequence& plan) {
  NodeId n;
  if (free_.empty()) {
    n = static_cast<NodeId>(nodes_.size());
    nodes_.emplace_back();
    more_.emplace_back();
  } else {
    n = free_.back();
    free_.pop_back();
  }
  nodes_[n] = node;
  if (keeps_) {
    if (!more_[n].reduced) more_[n].reduced = std::make_unique<Reduced>();
    more_[n].reduced->plan = plan;
  }
  count(bytes_of(more_[n]));
  peak_ = std::max(peak_, ++live_);
  return n;
}

NodeId Tree::add(NodeId parent, std::uint32_t step, bool preempts, const Sequence& plan) {
  // To have something to do again.
  for (NodeId n = parent; nodes_[n].done; n = nodes_[n].parent) {
    nodes_[n].done = 0;
    ++nodes_[nodes_[n].parent].children;
  }
  ++nodes_[parent].children;
  ++created_;
  const Node node{parent, step, plan[0].thread, plan[0].choice, 0, 0, 0, preempts, 0};
  return place(node, plan);
}

void Tree::list(NodeId n, const Listed& turn) {
  auto& turns = reduced(n).turns;
  turns.insert(std::upper_bound(turns.begin(), turns.end(), turn.step,
                                [](std::uint32_t step, const Listed& t) { return step < t.step; }),
               turn);
  count(sizeof turn);
}

Listed* Tree::listed(const Node& node, NodeId id) {
  for (Listed& t : turns(node.parent))
    if (t.step == node.step && t.node == id) return &t;
  return nullptr;
}

void Tree::choose(NodeId n, std::uint32_t k, std::uint16_t choice) {
  more_[n].reduced->plan.set_choice(k, choice);
  if (k > 0) return;
  if (Listed* t = listed(nodes_[n], n)) t->choice = choice;
  nodes_[n].choice = choice;
}

Leaf Tree::take_out(NodeId n, std::uint32_t where) {
  if (Listed* t = listed(nodes_[n], n)) t->node = Listed::kAway | where;
  Leaf l{nodes_[n], planned(n)};
  release(n);
  more_[n] = {};  // it is taken out for the sake of its memory
  return l;
}

NodeId Tree::put_back(const Leaf& leaf) {
  const Node& node = leaf.node;
  const NodeId n = place(node, leaf.plan);
  for (Listed& t : turns(node.parent))
    if (t.step == node.step && t.thread == node.thread && t.choice == node.choice && t.away())
      t.node = n;
  return n;
}

void Tree::path(NodeId n, std::vector<NodeId>& out) const {
  out.clear();
  for (; n != kNoNode; n = nodes_[n].parent) out.push_back(n);
  std::reverse(out.begin(), out.end());
}

void Tree::plan(NodeId n, std::vector<Forced>& out) const {
  out.clear();
  std::uint32_t end = ~0u;
  for (NodeId i = n; i != kNoNode; i = nodes_[i].parent) {
    const More& m = more_[i];
    for (auto it = m.departures.rbegin(); it != m.departures.rend(); ++it)
      if (it->step < end) out.push_back(*it);
    const Sequence& planned_here = planned(i);
    for (auto k = static_cast<std::uint32_t>(planned_here.size()); k-- > 0;)
      if (nodes_[i].step + k < end)
        out.push_back({nodes_[i].step + k, planned_here[k].thread, planned_here[k].choice});
    if (!keeps_ && !nodes_[i].executed && i != kRoot)
      out.push_back({nodes_[i].step, nodes_[i].thread, nodes_[i].choice});
    end = nodes_[i].step;
  }
  std::reverse(out.begin(), out.end());
}

void Tree::executed(NodeId n, const std::vector<Forced>& departures,
                    const std::vector<std::uint16_t>& choices) {
  More& m = more_[n];
  besides_ -= bytes_of(m);
  if (m.reduced) {
    m.reduced->plan.come_true(choices);
    for (Listed& t : m.reduced->turns)
      if (t.node == kNoNode && t.choice == 0 && t.step - nodes_[n].step < choices.size())
        t.choice = choices[t.step - nodes_[n].step];
  }
  m.departures = departures;
  besides_ += bytes_of(m);
  nodes_[n].executed = 1;
  nodes_[n].taken = 0;
}

void Tree::settle(NodeId n) {
  while (n != kNoNode && nodes_[n].executed && nodes_[n].children == 0) {
    const NodeId parent = nodes_[n].parent;
    finish(n);
    if (parent != kNoNode) --nodes_[parent].children;
    n = parent;
  }
}

// All its children are done. Those that branch off behind what it planned are not needed any more.
void Tree::finish(NodeId n) {
  if (!keeps_ || n == kRoot) return drop(n);
  More& m = more_[n];
  besides_ -= bytes_of(m);
  auto& turns = reduced(n).turns;
  const auto behind =
      std::lower_bound(turns.begin(), turns.end(), end_of_plan(n),
                       [](const Listed& t, std::uint32_t step) { return t.step < step; });
  for (auto it = behind; it != turns.end(); ++it)
    if (it->node != kNoNode) drop(it->node);
  turns.erase(behind, turns.end());
  m.departures.clear();
  besides_ += bytes_of(m);
  nodes_[n].done = 1;
}

void Tree::drop(NodeId n) {
  if (keeps_)
    for (const Listed& t : turns(n))
      if (t.node != kNoNode) drop(t.node);
  release(n);
}

void Tree::release(NodeId n) {
  More& m = more_[n];
  besides_ -= bytes_of(m);
  m.departures.clear();
  if (m.reduced) m.reduced->clear();
  if (n != kRoot) free_.push_back(n);
  --live_;
}

}  // namespace jostle::checking
