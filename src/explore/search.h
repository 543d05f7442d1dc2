// A search by random strategies: rounds, what they teach, and what is found in them.
#pragma once

#include <memory>
#include <vector>

#include "explore/findings.h"
#include "explore/known.h"
#include "explore/portfolio.h"
#include "explore/rounds.h"

namespace jostle::explore {

class Search {
 public:
  Search(const Session& session, Executor& executor, Runner& runner, const Portfolio& portfolio)
      : session_(session),
        executor_(executor),
        runner_(runner),
        portfolio_(portfolio),
        findings_(session, executor) {}

  void go(Result& result);

 private:
  // False when the run is over.
  bool merge(Result& result, const std::vector<Share*>& shares);
  bool note_race(const Problem& race, const Plan& plan);
  // Adds those that were not yet to the findings. True if there is one that the user did not know.
  bool tell_races(Result& result);

  const Session& session_;
  Executor& executor_;
  Runner& runner_;
  Portfolio portfolio_;
  Findings findings_;
  Known known_;
  std::size_t told_ = 0;  // of known_.races
  std::unique_ptr<Round> round_ = std::make_unique<Round>();
  std::uint32_t next_length_ = 0;
  Profile next_profile_;
  std::uint64_t seen_[Scheduler::kBehaviours / 64] = {};
  std::uint64_t behaviours_ = 0;  // members of seen_
};

}  // namespace jostle::explore
