// The leaves of the tree, best first: one stack for each priority, so that equal ones are searched
// depth first and their number stays small.
#pragma once

#include <algorithm>
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
  // Precondition: not empty.
  Cost best() const { return bins_.begin()->first; }
  // Takes away those that will be needed last: at most `n` of the worst cost, oldest first. Some of
  // the best stay, since they are needed next.
  std::vector<NodeId> take_cold(std::size_t n, Cost& cost) {
    std::vector<NodeId> out;
    if (bins_.empty()) return out;
    const auto worst = std::prev(bins_.end());
    auto& stack = worst->second;
    const std::size_t keep = worst == bins_.begin() ? kWarm : 0;
    if (stack.size() <= keep) return out;
    n = std::min(n, stack.size() - keep);
    const auto end = stack.begin() + static_cast<std::ptrdiff_t>(n);
    out.assign(stack.begin(), end);
    stack.erase(stack.begin(), end);
    cost = worst->first;
    if (stack.empty()) bins_.erase(worst);
    size_ -= n;
    return out;
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
  static constexpr std::size_t kWarm = 256;
  std::map<Cost, std::vector<NodeId>> bins_;
  std::uint64_t size_ = 0;
};

}  // namespace jostle::checking
