// One instance of an item: the operations that it needs, and in which orders they may come.
#pragma once

#include "cover/feasibility.h"

namespace jostle::covering {

class OrderProblem {
 public:
  using Dependency = Feasibility::Dependency;
  // `pair`: the dependencies are those of synchronization pairs, where only taking a lock counts.
  OrderProblem(const Feasibility& f, const Dependency* d, std::size_t count, bool pair,
               Feasibility::Reads reads);

  bool too_large() const { return too_large_; }
  // Adds what follows. False if there is no order; the reason is a sentence.
  bool close();
  const char* reason() const { return reason_; }
  // Decides what does not follow as in the recorded execution. False if that led nowhere.
  bool decide();
  Solution::Answer ask_solver();
  // Once all is decided: an order, as near to the recorded one as can be.
  std::vector<Turn> turns() const;

 private:
  using Node = Feasibility::Node;
  static constexpr std::size_t kMostAlternatives = 60'000, kMostFollowed = 600;

  const Node& node(Point p) const { return f_.nodes_[f_.by_thread_[p.thread][p.position]]; }
  Point point(std::uint32_t n) const { return {f_.nodes_[n].thread, f_.nodes_[n].position}; }
  // After what is needed of a thread, it goes on and leaves its critical sections: what else it
  // would do until then is not held against the item.
  Point beyond(std::uint32_t thread) const { return {thread, need_[thread]}; }
  bool require(std::uint32_t n);
  void find_needs(const Dependency* d, std::size_t count, bool same_reads);
  bool edge(Point a, Point b, const char* reason);
  bool settle(const Either& e, bool& decided);
  std::uint64_t when(Point p) const;
  void keep_apart(const Dependency& d, bool pair);
  void exclude();
  bool keep_reads();

  const Feasibility& f_;
  std::vector<std::uint32_t> need_;    // how much of each thread
  std::vector<std::uint32_t> chosen_;  // nodes, in the order of the execution
  Order order_;
  std::vector<Edge> edges_;   // what is certain
  std::vector<Either> open_;  // what is not
  const char* reason_ = "";
  bool too_large_ = false, contradiction_ = false;
};

}  // namespace jostle::covering
