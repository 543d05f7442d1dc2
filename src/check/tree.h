// The executions that are still to be made, as departures from those that were.
//
// A node is one execution: it follows its parent's up to step `step` and takes another turn there.
// Leaves are not executed yet; a node that was, and all of whose children are done, frees itself
// and, if it was the last child, its parent. Sixteen bytes each; what reduction keeps besides lies
// in lists of their own and is counted apart.
#pragma once

#include <cstdint>
#include <vector>

#include "check/bytes.h"
#include "check/guide.h"

namespace jostle::checking {

using NodeId = std::uint32_t;
inline constexpr NodeId kRoot = 0, kNoNode = ~0u;

struct Node {
  NodeId parent;
  std::uint32_t step;
  ThreadId thread;  // by Names
  std::uint16_t choice;
  std::uint32_t children : 30;  // alive
  std::uint32_t executed : 1;
  std::uint32_t preempts : 1;
};
static_assert(sizeof(Node) == 16);

// One that was not executed yet, outside of the tree.
struct Leaf {
  Node node;
  std::vector<Forced> turns;
};

class Tree {
 public:
  Tree() { clear(); }
  void clear();

  const Node& operator[](NodeId n) const { return nodes_[n]; }

  // A new leaf, with what it has to do from its step on.
  NodeId add(NodeId parent, std::uint32_t step, ThreadId thread, std::uint16_t choice,
             bool preempts, std::vector<Forced> turns);
  // What has to be done to make this execution.
  void plan(NodeId n, std::vector<Forced>& out) const;
  // It was made, and departed from the default at these steps, from its own step on.
  void executed(NodeId n, std::vector<Forced> departures);
  // A leaf leaves the tree for a while; it still counts as a child of its parent.
  Leaf take_out(NodeId n);
  NodeId put_back(Leaf leaf);
  void set_choice(NodeId n, std::uint16_t choice) { nodes_[n].choice = choice; }
  // Frees it if nothing is left to do below it.
  void settle(NodeId n);
  // From the root to n.
  void path(NodeId n, std::vector<NodeId>& out) const;

  // Turns at steps of its own execution. The first of a step is what it did there itself.
  std::vector<Turn>& turns(NodeId n) { return more_[n].turns; }
  void count_turn() { count(sizeof(Turn)); }
  const std::vector<Turn>& turns(NodeId n) const { return more_[n].turns; }

  std::size_t size() const { return nodes_.size(); }
  void save(Writer& w) const;
  bool load(Reader& r);  // false: that is no tree

  std::uint64_t live() const { return live_; }
  std::uint64_t peak() const { return peak_; }
  std::uint64_t created() const { return created_; }
  // All that it takes, in bytes, about.
  std::uint64_t bytes() const { return live_ * (sizeof(Node) + sizeof(More)) + besides_; }
  // Bytes that are kept besides the nodes.
  std::uint64_t besides() const { return besides_; }

 private:
  struct More {
    std::vector<Forced> departures;
    std::vector<Turn> turns;
  };
  NodeId place(const Node& node, std::vector<Forced> turns);
  void release(NodeId n);
  void count(std::int64_t bytes) { besides_ += static_cast<std::uint64_t>(bytes); }
  std::vector<Node> nodes_;
  std::vector<More> more_;
  std::vector<NodeId> free_;
  std::uint64_t live_ = 0, peak_ = 0, created_ = 0, besides_ = 0;
};

}  // namespace jostle::checking
