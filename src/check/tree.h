// The executions that are still to be made, as departures from those that were.
//
// A node is one execution: it follows its parent's up to step `step` and takes other turns there,
// as many as it plans. Leaves are not executed yet; a node that was, and all of whose children are
// done, frees itself and, if it was the last child, its parent. Where a branch may still have to be
// put among what the node planned, it is kept for as long as its parent has something to do, with
// what it planned and no more. Sixteen bytes each; what reduction keeps besides lies in lists of
// their own and is counted apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "check/bytes.h"
#include "check/guide.h"
#include "check/sequence.h"

namespace jostle::checking {

using NodeId = std::uint32_t;
inline constexpr NodeId kRoot = 0, kNoNode = ~0u;

struct Node {
  NodeId parent;
  std::uint32_t step;
  ThreadId thread;  // by Names; kNoThread: this is a root
  std::uint16_t choice;
  std::uint32_t children : 28;  // with something to do
  std::uint32_t executed : 1;
  std::uint32_t taken : 1;  // it is being executed
  std::uint32_t preempts : 1;
  std::uint32_t done : 1;  // and kept
};
static_assert(sizeof(Node) == 16);

// One that was not executed yet, outside of the tree.
struct Leaf {
  Node node;
  Sequence plan;
};

// A turn that was ever put on the list at a step of an execution.
struct Listed {
  std::uint32_t step;
  ThreadId thread;  // by Names
  std::uint16_t choice;
  NodeId node;  // that takes it; kNoNode: what the execution did itself

  // The node may be outside of the tree: then it says where.
  static constexpr NodeId kAway = 1u << 31;
  bool away() const { return node != kNoNode && (node & kAway) != 0; }
};

// Where those of a step begin, in a list that is in their order.
template <class List>
auto first_at(List& turns, std::uint32_t step) {
  return std::lower_bound(turns.begin(), turns.end(), step,
                          [](const auto& t, std::uint32_t s) { return t.step < s; });
}

// From the root to a node: who is on the way, and what that means for its execution.
struct Trail {
  struct Level {
    NodeId node;
    std::uint32_t step;
    ThreadId thread;
    std::uint16_t choice;
    // What levels before it have put there.
    std::uint32_t turns, listed;
  };
  std::vector<Level> levels;
  std::vector<Forced> turns;  // what has to be done before its own
  std::vector<Turn> listed;   // put on the list before the turns of the levels, at their places

  // Those of one level.
  std::span<const Turn> listed_before(std::size_t level) const {
    const std::size_t end = level + 1 < levels.size() ? levels[level + 1].listed : listed.size();
    return {listed.data() + levels[level].listed, listed.data() + end};
  }
};

class Tree {
 public:
  // `keeps`: branches may be put among what nodes planned, even if they are done.
  explicit Tree(bool keeps) : keeps_(keeps) { clear(); }
  void clear();

  const Node& operator[](NodeId n) const { return nodes_[n]; }

  // A new leaf, with what it has to do from its step on.
  NodeId add(NodeId parent, std::uint32_t step, bool preempts, const Sequence& plan);
  // The root of another search, after everything of which something fails for no reason: the
  // number-th of the lists of what does.
  NodeId add_root(std::uint16_t number);
  bool is_root(NodeId n) const { return n == kRoot || nodes_[n].thread == kNoThread; }
  // Valid until anything on the way changes. Mostly the way is that of the node before, but for its
  // end: what they have in common is kept.
  const Trail& lead_to(NodeId n);
  // What has to be done to make this execution.
  void plan(NodeId n, std::vector<Forced>& out);
  // It was made. It went as planned for as many steps as there are choices, and departed from the
  // default at these later ones.
  void executed(NodeId n, const std::vector<Forced>& departures,
                const std::vector<std::uint16_t>& choices);
  // A leaf leaves the tree for a while; it still counts as a child of its parent, which knows that
  // it is there.
  Leaf take_out(NodeId n, std::uint32_t where);
  NodeId put_back(const Leaf& leaf);
  // Now it is known which choice it takes; also where it is listed.
  void set_choice(NodeId n, std::uint16_t choice);
  void set_taken(NodeId n, bool taken) { nodes_[n].taken = taken; }
  // What it plans k steps after its first is to be done with this choice.
  void choose(NodeId n, std::uint32_t k, std::uint16_t choice);
  // If nothing is left to do below it, frees it, or as much of it as may be.
  void settle(NodeId n);
  // Turns at steps of its own execution. The first of a step is what it did there itself.
  std::span<Listed> turns(NodeId n) {
    return more_[n].reduced ? std::span<Listed>(more_[n].reduced->turns) : std::span<Listed>();
  }
  const std::vector<Listed>& turns(NodeId n) const { return reduced(n).turns; }
  // Puts a turn behind those of the same step.
  void list(NodeId n, const Listed& turn);
  // What it planned, if branches may be put among it.
  const Sequence& planned(NodeId n) const { return reduced(n).plan; }

  std::size_t size() const { return nodes_.size(); }
  void save(Writer& w) const;
  bool load(Reader& r);                    // false: that is no tree
  bool has_roots(std::size_t most) const;  // there are no more of them than that

  std::uint64_t live() const { return live_; }
  std::uint64_t peak() const { return peak_; }
  std::uint64_t created() const { return created_; }
  // All that it takes, in bytes, about: with small blocks, lists that have room to grow, and the
  // copy that is written down now and then it is three times what is in it, in resident memory.
  std::uint64_t bytes() const {
    return 3 * (live_ * (sizeof(Node) + sizeof(More) + sizeof(level_[0])) + besides_);
  }
  // Bytes that are kept besides the nodes.
  std::uint64_t besides() const { return besides_; }

 private:
  // What reduction needs besides. Nodes come and go with every execution: it stays with the place
  // of a node for the next one.
  struct Reduced {
    std::vector<Listed> turns;
    Sequence plan;  // if it is kept; else it is the one turn
    std::uint64_t bytes() const {
      return sizeof *this + turns.size() * sizeof(Listed) + plan.bytes();
    }
    void clear() {
      turns.clear();
      plan.clear();
    }
  };
  struct More {
    std::vector<Forced> departures;  // from the default, if it was executed
    std::unique_ptr<Reduced> reduced;
  };
  const Reduced& reduced(NodeId n) const {
    static const Reduced nothing;
    return more_[n].reduced ? *more_[n].reduced : nothing;
  }
  Reduced& reduced(NodeId n) {
    auto& r = more_[n].reduced;
    if (!r) {
      r = std::make_unique<Reduced>();
      count(sizeof *r);
    }
    return *r;
  }
  std::uint64_t bytes_of(const More& m) const {
    return m.departures.size() * sizeof(Forced) + (m.reduced ? m.reduced->bytes() : 0);
  }
  NodeId place(const Node& node, const Sequence& plan);
  void finish(NodeId n);
  void drop(NodeId n);
  void release(NodeId n);
  Listed* listed(const Node& node, NodeId id);
  bool on_trail(NodeId n) const {
    return n < level_.size() && level_[n] < trail_.levels.size() &&
           trail_.levels[level_[n]].node == n;
  }
  void cut_trail(std::size_t levels);
  void forget_trail(NodeId n);
  void add_level(NodeId n);
  void add_turns(NodeId n, std::uint32_t end, std::vector<Forced>& out) const;
  std::uint32_t end_of_plan(NodeId n) const {
    return nodes_[n].step + static_cast<std::uint32_t>(planned(n).size());
  }
  void count(std::uint64_t bytes) { besides_ += bytes; }
  bool keeps_;
  std::vector<Node> nodes_;
  std::vector<More> more_;
  std::vector<NodeId> free_;
  Trail trail_;
  std::vector<std::uint32_t> level_;  // by node, where it is on the trail, if it is
  std::vector<NodeId> climb_;
  std::uint64_t live_ = 0, peak_ = 0, created_ = 0, besides_ = 0;
};

}  // namespace jostle::checking
