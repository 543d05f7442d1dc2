// Which findings the user wants to hear of.
#pragma once

#include <jostle/options.hpp>
#include <set>

#include "base/expected.h"
#include "report/suppress.h"

namespace jostle::explore {

class Filters {
 public:
  // The files that the options name. One that is to be updated need not exist yet.
  static Expected<Filters> load(const Options& o);

  enum class Verdict {
    fresh,
    known,     // to the baseline
    unwanted,  // suppressed, or told before
  };
  Verdict judge(const report::FindingInfo& finding) const;
  // From now on it is unwanted.
  void told(const std::string& fingerprint) { told_.insert(fingerprint); }

 private:
  report::Suppressions built_in_, suppressions_;
  report::Baseline baseline_;
  std::set<std::string> told_;
};

}  // namespace jostle::explore
