// Which strategies a run uses, and how much of each. A portfolio starts with fixed shares; after
// each round half of them follows what each strategy showed that no execution before had shown.
// The other half stays, because what a strategy is good at may come late.
#pragma once

#include <string_view>

#include "base/expected.h"
#include "explore/rounds.h"

namespace jostle::explore {

class Portfolio {
 public:
  // `strategy` is "portfolio" or a name from the registry.
  static Expected<Portfolio> make(std::string_view strategy, std::uint32_t depth);

  void fill(Round& round) const;
  // The strategies that get most now, for people: "pos 34%, urw 12%".
  std::string favourites() const;
  void credit(std::uint32_t arm, std::uint32_t behaviours) { gained_[arm] += behaviours; }
  void used(std::uint32_t arm, std::uint64_t executions) {
    used_[arm] += static_cast<double>(executions);
  }
  void end_round();

 private:
  std::uint32_t arms_ = 0;
  Arm arm_[Round::kArms];
  double first_[Round::kArms] = {}, share_[Round::kArms] = {};
  double gained_[Round::kArms] = {}, used_[Round::kArms] = {};
};

}  // namespace jostle::explore
