// Schedules that should expose much, from what threads did in all executions so far.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cover/behaviour.h"
#include "cover/hash_set.h"
#include "cover/planner.h"
#include "sched/access_log.h"
#include "strategies/guided.h"
#include "strategies/novelty.h"

namespace jostle::explore {

class Plans {
 public:
  explicit Plans(covering::Planner::Metrics metrics) : metrics_(metrics) {}
  void learn(const AccessLog& log, const covering::Execution& e);
  // Nothing is expected of earlier plans any more: they have been followed, or will not be.
  void begin_round() { expected_.clear(); }
  // Goes through orders without executing anything, for one that exposes much of what neither is in
  // `seen` nor expected of the other plans of the round: `fresh`, as hashes. False if there is
  // none. `thorough`: goes through more of them.
  bool next(const SeenItems& seen, std::uint32_t window, std::uint64_t seed, bool thorough,
            GuidedTurns& out, std::vector<std::uint64_t>& fresh);
  // A plan was followed. What it did not expose, plans are wrong about: that counts for less.
  // `exposed`: how many items, expected or not.
  void followed(const SeenItems& seen, const std::vector<std::uint64_t>& fresh,
                std::uint64_t exposed);

 private:
  // How many operations an execution may have, how many are kept in all, and how many are gone
  // through for a plan, in how many orders.
  static constexpr std::size_t kLongest = 100'000, kMost = 2'000'000;
  static constexpr std::size_t kSteps = 15'000, kFewestOrders = 4, kMostOrders = 500;
  static constexpr double kLeast = 0.02;  // what a plan must be worth, in items

  const covering::Planner::Metrics metrics_;
  covering::Behaviour behaviour_;
  std::vector<std::vector<AccessRecord>> logs_;  // that it was made from
  std::size_t kept_ = 0;                         // operations in them
  std::size_t length_ = 0;                       // accesses to what is shared in the last
  std::size_t longest_ = 0;                      // and in the longest
  std::unordered_set<Address> shared_;
  covering::HashSet expected_;
  double surprise_ = 1;                                        // see Planner::plan()
  std::unordered_map<std::uint64_t, std::uint32_t> failures_;  // of plans, by item
};

}  // namespace jostle::explore
