#include "check/tree.h"

namespace jostle::checking {

void Tree::clear() {
  nodes_.assign(1, Node{kNoNode, 0, 0, 0, 0, 0, 0, 0, 0});
  more_.clear();
  more_.resize(1);
  free_.clear();
  cut_trail(0);
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

NodeId Tree::add_root(std::uint16_t number) {
  ++nodes_[kRoot].children;
  ++created_;
  return place({kRoot, 0, kNoThread, number, 0, 0, 0, 0, 0}, Sequence());
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
  forget_trail(n);
  if (k == 0) set_choice(n, choice);
}

void Tree::set_choice(NodeId n, std::uint16_t choice) {
  forget_trail(n);
  Node& node = nodes_[n];
  for (Listed& t : turns(node.parent))
    if (t.step == node.step && t.thread == node.thread && t.choice == 0) t.choice = choice;
  node.choice = choice;
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

// --- the trail -----------------------------------------------------------------------------------

void Tree::cut_trail(std::size_t levels) {
  if (levels < trail_.levels.size()) {
    trail_.listed.resize(trail_.levels[levels].listed);
    trail_.levels.resize(levels);
  }
  trail_.turns.resize(levels > 0 ? trail_.levels.back().turns : 0);
}

// Something about the node has changed: what it means for those below it, and for those that were
// listed after it.
void Tree::forget_trail(NodeId n) {
  const NodeId parent = nodes_[n].parent;
  if (parent == kNoNode)
    cut_trail(0);
  else if (on_trail(parent) && level_[parent] + 1 < trail_.levels.size())
    cut_trail(level_[parent] + 1);
}

void Tree::add_level(NodeId n) {
  const Node& node = nodes_[n];
  if (level_.size() <= n) level_.resize(std::max<std::size_t>(nodes_.size(), n + 1));
  level_[n] = static_cast<std::uint32_t>(trail_.levels.size());
  trail_.levels.push_back({n, node.step, node.thread, node.choice,
                           static_cast<std::uint32_t>(trail_.turns.size()),
                           static_cast<std::uint32_t>(trail_.listed.size())});
  if (is_root(n)) return;
  const std::span<Listed> turns = this->turns(node.parent);
  for (auto it = first_at(turns, node.step); it != turns.end() && it->step == node.step; ++it) {
    if (it->thread == node.thread && it->choice == node.choice) return;
    trail_.listed.push_back({it->step, it->thread, it->choice});
  }
}

// What it does itself before that step.
void Tree::add_turns(NodeId n, std::uint32_t end, std::vector<Forced>& out) const {
  const Node& node = nodes_[n];
  if (!keeps_ && !node.executed && !is_root(n))
    out.push_back({node.step, node.thread, node.choice});
  const Sequence& plan = planned(n);
  for (std::uint32_t k = 0; k < plan.size() && node.step + k < end; ++k)
    out.push_back({node.step + k, plan[k].thread, plan[k].choice});
  for (const Forced& f : more_[n].departures) {
    if (f.step >= end) break;
    out.push_back(f);
  }
}

const Trail& Tree::lead_to(NodeId n) {
  climb_.clear();
  for (; n != kNoNode && !on_trail(n); n = nodes_[n].parent) climb_.push_back(n);
  if (const std::size_t common = n != kNoNode ? level_[n] + 1 : 0; common != trail_.levels.size())
    cut_trail(common);
  for (; !climb_.empty(); climb_.pop_back()) {
    const NodeId next = climb_.back();
    if (!trail_.levels.empty())
      add_turns(trail_.levels.back().node, nodes_[next].step, trail_.turns);
    add_level(next);
  }
  return trail_;
}

void Tree::plan(NodeId n, std::vector<Forced>& out) {
  out = lead_to(n).turns;
  add_turns(n, ~0u, out);
}

void Tree::executed(NodeId n, const std::vector<Forced>& departures,
                    const std::vector<std::uint16_t>& choices) {
  forget_trail(n);
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
  if (!keeps_ || is_root(n)) return drop(n);
  forget_trail(n);
  More& m = more_[n];
  besides_ -= bytes_of(m);
  auto& turns = reduced(n).turns;
  const auto behind = first_at(turns, end_of_plan(n));
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
  forget_trail(n);
  More& m = more_[n];
  besides_ -= bytes_of(m);
  m.departures.clear();
  if (m.reduced) m.reduced->clear();
  if (n != kRoot) free_.push_back(n);
  --live_;
}

}  // namespace jostle::checking
