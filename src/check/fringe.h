// The leaves of the tree, best first: one stack for each priority, so that equal ones are searched
// depth first and their number stays small.
#pragma once

#include <map>
#include <vector>

#include "check/tree.h"

namespace jostle::checking {

// Smaller is better.
using Cost = std::uint64_t;

class Fringe {
 public:
  void push(NodeId n, Cost cost) {
    bins_[cost].push_back(n);
    ++size_;
  }
  // Precondition: not empty.
  NodeId pop() {
    const auto best = bins_.begin();
    const NodeId n = best->second.back();
    best->second.pop_back();
    if (best->second.empty()) bins_.erase(best);
    --size_;
    return n;
  }
  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  void clear() {
    bins_.clear();
    size_ = 0;
  }
  template <class F>
  void each(F f) const {
    for (const auto& [cost, stack] : bins_)
      for (const NodeId n : stack) f(n, cost);
  }

 private:
  std::map<Cost, std::vector<NodeId>> bins_;
  std::uint64_t size_ = 0;
};

}  // namespace jostle::checking
