// The rounds of jostle::run() without what follows a finding. Confirming, minimising and
// describing takes a hundred times longer than finding; here only the finding counts. The zoo
// holds both searches against each other.
#pragma once

#include <memory>

#include "explore/known.h"
#include "explore/portfolio.h"
#include "explore/rounds.h"

namespace jostle_bench {

class Search {
 public:
  // Sets the engine of this process up.
  Search(const jostle::explore::Session& session, jostle::explore::Portfolio portfolio);

  // Executes the next round. The share tells how it went.
  const jostle::explore::Share& round();
  // The round that was executed, as it was during its executions.
  const jostle::explore::Round& last() const { return *last_; }
  std::uint64_t executions() const { return executions_; }
  // The first race, if there was one.
  bool raced() const { return !known_.races.empty(); }
  std::uint64_t first_race() const { return known_.races.front().plan.index + 1; }

 private:
  void learn(const jostle::explore::Share& share);
  void note_race(const jostle::Problem& race, const jostle::Plan& plan);

  const jostle::explore::Session& session_;
  jostle::explore::Portfolio portfolio_;
  std::unique_ptr<jostle::explore::Runner> runner_;
  std::unique_ptr<jostle::explore::Round> round_, last_;
  std::uint64_t executions_ = 0, size_ = 8;
  jostle::explore::Known known_;
  std::vector<bool> seen_;
};

// A session over a function, for what is built of the parts of run().
jostle::explore::Session session_of(void (*body)(), const jostle::Options& options);

}  // namespace jostle_bench
