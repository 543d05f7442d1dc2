#include "explore/plans.h"

#include <algorithm>

namespace jostle::explore {

void Plans::learn(const AccessLog& log, const covering::Execution& e) {
  if (log.count > kLongest) return;
  const std::size_t before = shared_.size();
  for (const covering::Access& a : e.accesses) shared_.insert(a.object);
  length_ = e.accesses.size();
  longest_ = std::max(longest_, length_);
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

bool Plans::next(const SeenItems& seen, std::uint32_t window, std::uint64_t seed, bool thorough,
                 GuidedTurns& out, std::vector<std::uint64_t>& fresh) {
  if (seen.full() || logs_.empty()) return false;
  Rng rng;
  rng.seed(seed);
  behaviour_.learn_trust();
  covering::Planner planner(behaviour_, metrics_);
  const auto worth = [&](std::uint64_t hash) {
    if (seen.has(hash) || expected_.has(hash)) return 0.0;
    const auto it = failures_.find(hash);
    return it == failures_.end() ? 1.0 : 1.0 / (1u << std::min(it->second, 20u));
  };
  const std::size_t steps = thorough ? kSteps : kSteps / 4;
  // What comes after as many turns as can be followed is not planned.
  const std::size_t longest = std::min<std::size_t>(longest_ + longest_ / 4, GuidedTurns::kMost);
  const std::size_t each = std::min(length_, longest) + 1;
  const std::size_t orders = std::clamp(steps / each, kFewestOrders, kMostOrders);
  covering::Planned best =
      planner.plan(worth, surprise_, window, static_cast<std::uint32_t>(orders), longest, rng);
  if (best.worth < kLeast) return false;
  for (const std::uint64_t hash : best.fresh) expected_.add(hash);
  fresh = std::move(best.fresh);
  out.count =
      static_cast<std::uint32_t>(std::min<std::size_t>(best.turns.size(), GuidedTurns::kMost));
  std::copy_n(best.turns.begin(), out.count, out.turn);
  return true;
}

void Plans::followed(const SeenItems& seen, const std::vector<std::uint64_t>& fresh,
                     std::uint64_t exposed) {
  if (fresh.empty()) return;
  std::uint64_t hits = 0, misses = 0;
  for (const std::uint64_t hash : fresh)
    if (seen.has(hash)) {
      ++hits;
    } else {
      ++misses;
      ++failures_[hash];
    }
  // What came unexpectedly comes from threads that went where nobody knew.
  const double more = exposed > hits ? static_cast<double>(exposed - hits) : 0;
  if (misses > 0) surprise_ += (std::min(more / static_cast<double>(misses), 4.0) - surprise_) / 16;
}

}  // namespace jostle::explore
