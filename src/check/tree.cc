#include "check/tree.h"

#include <algorithm>

namespace jostle::checking {

void Tree::clear() {
  nodes_.assign(1, Node{kNoNode, 0, 0, 0, 0, 0, 0});
  more_.assign(1, {});
  free_.clear();
  live_ = peak_ = created_ = 1;
  besides_ = 0;
}

NodeId Tree::place(const Node& node, std::vector<Forced> turns) {
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
  count(static_cast<std::int64_t>(turns.size() * sizeof(Forced)));
  more_[n].departures = std::move(turns);
  peak_ = std::max(peak_, ++live_);
  return n;
}

NodeId Tree::add(NodeId parent, std::uint32_t step, ThreadId thread, std::uint16_t choice,
                 bool preempts, std::vector<Forced> turns) {
  ++nodes_[parent].children;
  ++created_;
  return place(Node{parent, step, thread, choice, 0, 0, preempts}, std::move(turns));
}

Leaf Tree::take_out(NodeId n) {
  Leaf l{nodes_[n], more_[n].departures};
  release(n);
  more_[n] = {};  // it is taken out for the sake of its memory
  return l;
}

NodeId Tree::put_back(Leaf leaf) { return place(leaf.node, std::move(leaf.turns)); }

void Tree::path(NodeId n, std::vector<NodeId>& out) const {
  out.clear();
  for (; n != kNoNode; n = nodes_[n].parent) out.push_back(n);
  std::reverse(out.begin(), out.end());
}

void Tree::plan(NodeId n, std::vector<Forced>& out) const {
  out.clear();
  std::uint32_t end = ~0u;
  for (NodeId i = n; i != kNoNode; i = nodes_[i].parent) {
    const auto& d = more_[i].departures;
    for (auto it = d.rbegin(); it != d.rend(); ++it)
      if (it->step < end) out.push_back(*it);
    end = nodes_[i].step;
  }
  std::reverse(out.begin(), out.end());
}

void Tree::executed(NodeId n, std::vector<Forced> departures) {
  auto& d = more_[n].departures;
  count((static_cast<std::int64_t>(departures.size()) - static_cast<std::int64_t>(d.size())) *
        static_cast<std::int64_t>(sizeof(Forced)));
  d = std::move(departures);
  nodes_[n].executed = 1;
}

void Tree::settle(NodeId n) {
  while (n != kNoNode && nodes_[n].executed && nodes_[n].children == 0) {
    const NodeId parent = nodes_[n].parent;
    release(n);
    if (parent != kNoNode) --nodes_[parent].children;
    n = parent;
  }
}

void Tree::release(NodeId n) {
  More& m = more_[n];
  count(-static_cast<std::int64_t>(m.departures.size() * sizeof(Forced) +
                                   m.turns.size() * sizeof(Turn)));
  m.departures.clear();
  m.turns.clear();
  if (n != kRoot) free_.push_back(n);
  --live_;
}

}  // namespace jostle::checking
