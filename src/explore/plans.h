// Schedules that should expose much, from what threads did in all executions so far.
#pragma once

#include <unordered_set>
#include <vector>

#include "cover/behaviour.h"
#include "sched/access_log.h"
#include "strategies/guided.h"
#include "strategies/novelty.h"

namespace jostle::explore {

class Plans {
 public:
  void learn(const AccessLog& log, const covering::Execution& e);
  // Goes through orders without executing anything. False if none of them exposes what is not in
  // `seen`.
  bool next(const SeenItems& seen, std::uint32_t window, std::uint64_t seed, GuidedTurns& out);

 private:
  // How many operations an execution may have, how many are kept in all, and how many are gone
  // through for a plan, in how many orders.
  static constexpr std::size_t kLongest = 100'000, kMost = 2'000'000;
  static constexpr std::size_t kSteps = 50'000, kFewestOrders = 4, kMostOrders = 500;

  covering::Behaviour behaviour_;
  std::vector<std::vector<AccessRecord>> logs_;  // that it was made from
  std::size_t kept_ = 0;                         // operations in them
  std::size_t length_ = 0;                       // accesses to what is shared in the last
  std::unordered_set<Address> shared_;
};

}  // namespace jostle::explore
