// The scheduling controller for synchronization pairs (Hong, Ahn, Park, Kim, Harrold, ISSTA 2012,
// Algorithm 1). Threads are paused before locks that have a part in an uncovered pair; when all
// that could go on are paused, one is chosen:
//   rule 1  one that covers a pair at once
//   rule 2  one after which another that is paused, too, would cover a pair
//   rule 3  one with few uncovered pairs to its place: it has least to gain from waiting
//
// Deviations: of several that rule 1 or 2 allows, any is taken (by rule 1, of another thread), and
// rule 3 draws, the likelier the fewer they are. The paper takes one with the fewest; there,
// threads vary by themselves, here the same schedule would come again and again. A paused lock may
// meanwhile be taken, so the rules choose among those that can go on, when all of them are paused;
// the algorithm as printed would wait for ever. The chosen one goes at once. Who goes when some are
// not paused is left open by the paper: any.
#pragma once

#include <algorithm>

#include "sched/access_log.h"
#include "sched/strategy.h"

namespace jostle {

struct PairTargets {
  static constexpr std::uint32_t kMost = 4096;
  struct Pair {
    SiteKey first, second;
  };
  std::uint32_t count = 0;
  Pair pair[kMost] = {};
  bool rule3 = true;
};

class PairController : public Strategy {
 public:
  // Must stay where it is while executions are made.
  void aim(const PairTargets& targets) { targets_ = &targets; }

  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    locks_ = 0;
    std::fill_n(covered_, targets_ ? targets_->count : 0, false);
  }
  ThreadId pick(const View& view) override;
  bool wants_events() const override { return true; }
  void performed(const View& view, ThreadId t, const Op& op) override;

 private:
  struct Last {
    Address lock;
    SiteKey site;
  };
  static constexpr std::uint32_t kLocks = 4096;

  bool wants(const View& view, ThreadId t, Intent& out) const {
    return intends(view.threads[t], out) && did_at(out.site) == Did::acquire;
  }
  // Index of the pair among the uncovered ones, or -1.
  int uncovered(SiteKey a, SiteKey b) const;
  std::uint32_t relevant(SiteKey s) const;
  SiteKey last_of(Address lock) const;

  const PairTargets* targets_ = nullptr;
  bool covered_[PairTargets::kMost] = {};
  std::uint32_t locks_ = 0;
  Last last_[kLocks] = {};
};

}  // namespace jostle
