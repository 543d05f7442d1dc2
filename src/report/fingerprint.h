// What makes two findings the same bug.
#pragma once

#include <string>
#include <vector>

#include "report/view.h"

namespace jostle::report {

// One line such as "race|Account::deposit@bank.cc:14|Account::withdraw@bank.cc:14": the kind
// and the user's places, without anything that differs between runs, machines or compilers.
// The two places of a race and the places of a deadlock are sorted: which thread came first
// does not matter.
std::string fingerprint(View& v, const Problem& p);

// What suppressions look at.
struct FindingInfo {
  FindingKind kind = FindingKind::none;
  std::vector<Frame> frames;  // of all stacks of the finding
  std::string variable;       // name of the memory or object; "" if there is none
  std::string fingerprint;
};
FindingInfo describe(View& v, const Problem& p);

}  // namespace jostle::report
