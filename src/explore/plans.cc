#include "explore/plans.h"

#include <algorithm>

#include "cover/planner.h"

namespace jostle::explore {

void Plans::learn(const AccessLog& log, const covering::Execution& e) {
  if (log.count > kLongest) return;
  const std::size_t before = shared_.size();
  for (const covering::Access& a : e.accesses) shared_.insert(a.object);
  length_ = e.accesses.size();
  if (kept_ + log.count > kMost) {
    logs_.clear();
    kept_ = 0;
    behaviour_ = covering::Behaviour();
  }
  logs_.emplace_back(log.records, log.records + log.count);
  kept_ += log.count;
  if (shared_.size() == before) return behaviour_.add(logs_.back(), shared_);
  behaviour_ = covering::Behaviour();
  for (const auto& l : logs_) behaviour_.add(l, shared_);
}

bool Plans::next(const SeenItems& seen, std::uint32_t window, std::uint64_t seed,
                 GuidedTurns& out) {
  if (seen.full() || logs_.empty()) return false;
  Rng rng;
  rng.seed(seed);
  behaviour_.learn_trust();
  covering::Planner planner(behaviour_);
  const std::size_t orders = std::clamp(kSteps / (length_ + 1), kFewestOrders, kMostOrders);
  const covering::Planned best = planner.plan([&](const covering::Item& i) { return seen.has(i); },
                                              window, static_cast<std::uint32_t>(orders), rng);
  if (best.fresh == 0) return false;
  out.count =
      static_cast<std::uint32_t>(std::min<std::size_t>(best.turns.size(), GuidedTurns::kMost));
  std::copy_n(best.turns.begin(), out.count, out.turn);
  return true;
}

}  // namespace jostle::explore
