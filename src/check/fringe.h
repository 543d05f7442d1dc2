// The leaves of the tree, best first: one stack for each cost, so that equal ones are searched
// depth first and their number stays small. With several orders, which take turns, each leaf stands
// in all of them; what one has taken the others pass over.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "check/tree.h"

namespace jostle::checking {

// Smaller is better.
using Cost = std::uint64_t;
inline constexpr std::size_t kMostOrders = 8;
using Costs = std::array<Cost, kMostOrders>;

class Fringe {
 public:
  explicit Fringe(std::size_t orders = 1) : orders_(orders) {}

  void push(NodeId n, const Costs& costs) {
    for (std::size_t i = 0; i < orders_; ++i) restore(i, n, costs[i]);
    if (entries_ > 4 * orders_ * (size_ + kWarm)) sweep();
  }
  // One that is known in the first order only comes last in the others.
  void push(NodeId n, Cost cost) {
    Costs costs;
    costs.fill(~Cost{0});
    costs[0] = cost;
    push(n, costs);
  }
  // Precondition: not empty.
  NodeId pop() {
    Bins& bins = bins_[turn_];
    turn_ = turn_ + 1 < orders_ ? turn_ + 1 : 0;
    skip_taken(bins);
    const NodeId n = pop_best(bins);
    if (orders_ > 1) waits_[n] = false;
    --size_;
    return n;
  }
  // In the first order. Precondition: not empty.
  Cost best() {
    skip_taken(bins_[0]);
    return bins_[0].begin()->first;
  }
  // Takes away those that the first order will need last: at most `n` of the worst cost, oldest
  // first. Some of the best stay, since they are needed next.
  std::vector<NodeId> take_cold(std::size_t n, Cost& cost) {
    std::vector<NodeId> out;
    if (orders_ > 1) sweep();
    if (bins_[0].empty()) return out;
    const auto worst = std::prev(bins_[0].end());
    auto& stack = worst->second;
    const std::size_t keep = worst == bins_[0].begin() ? kWarm : 0;
    if (stack.size() <= keep) return out;
    n = std::min(n, stack.size() - keep);
    const auto end = stack.begin() + static_cast<std::ptrdiff_t>(n);
    out.assign(stack.begin(), end);
    stack.erase(stack.begin(), end);
    cost = worst->first;
    if (stack.empty()) bins_[0].erase(worst);
    size_ -= n;
    if (orders_ > 1)
      for (const NodeId taken : out) waits_[taken] = false;
    return out;
  }
  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  void clear() {
    for (Bins& bins : bins_) bins.clear();
    waits_.clear();
    size_ = entries_ = turn_ = 0;
  }

  // For whoever writes it down: f(leaf, its cost), the best first, of equal ones the oldest.
  std::size_t orders() const { return orders_; }
  std::size_t turn() const { return turn_; }
  template <class F>
  void each(std::size_t order, F f) {
    if (orders_ > 1) sweep();
    for (const auto& [cost, stack] : bins_[order])
      for (const NodeId n : stack) f(n, cost);
  }
  // The other way round: the first order first.
  void restore(std::size_t order, NodeId n, Cost cost) {
    bins_[order][cost].push_back(n);
    size_ += order == 0;
    entries_ += orders_ > 1;
    if (waits_.size() <= n && orders_ > 1) waits_.resize(n + n / 2 + 1);
    if (orders_ > 1) waits_[n] = true;
  }
  void set_turn(std::size_t turn) { turn_ = turn < orders_ ? turn : 0; }

 private:
  static constexpr std::size_t kWarm = 256;
  using Bins = std::map<Cost, std::vector<NodeId>>;

  static NodeId pop_best(Bins& bins) {
    const auto best = bins.begin();
    const NodeId n = best->second.back();
    best->second.pop_back();
    if (best->second.empty()) bins.erase(best);
    return n;
  }
  void skip_taken(Bins& bins) {
    if (orders_ == 1) return;
    while (!waits_[bins.begin()->second.back()]) {
      pop_best(bins);
      --entries_;
    }
  }
  // Leaves out what would be passed over: what was taken by another order, and of a leaf that
  // stands there twice, since another one had its place in the tree before, what would come later.
  void sweep() {
    entries_ = 0;
    for (std::size_t i = 0; i < orders_; ++i) {
      std::vector<bool> seen(waits_.size());
      for (auto bin = bins_[i].begin(); bin != bins_[i].end();) {
        auto& stack = bin->second;
        auto out = stack.end();
        for (auto in = stack.end(); in != stack.begin();) {
          --in;
          if (!waits_[*in] || seen[*in]) continue;
          seen[*in] = true;
          *--out = *in;
        }
        stack.erase(stack.begin(), out);
        entries_ += stack.size();
        bin = stack.empty() ? bins_[i].erase(bin) : std::next(bin);
      }
    }
  }

  std::size_t orders_, turn_ = 0;
  std::array<Bins, kMostOrders> bins_;
  std::uint64_t size_ = 0;
  // With several orders: who is in the fringe, by node; what stands in all orders together.
  std::vector<bool> waits_;
  std::uint64_t entries_ = 0;
};

}  // namespace jostle::checking
