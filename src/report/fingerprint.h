// What makes two findings the same bug.
#pragma once

#include <string>
#include <vector>

#include "report/view.h"

namespace jostle::report {

// One line such as "race|Account::deposit@bank.cc: sum += n;|Account::withdraw@bank.cc: sum -= n;":
// the kind and the user's places, without anything that differs between runs or machines, or
// changes when other lines of the program do. So a place is its function, its file and the text of
// its line: two findings in one function are two, unless their lines are equal. (Where the source
// is not at hand, the number of the line has to do.) Variables are left out: each element of an
// array would make a finding of its own. The two places of a race and the places of a deadlock are
// sorted: which thread came first does not matter. Without any place, as when a program ends with
// the wrong exit code, it is the run and the message.
std::string fingerprint(View& v, const Problem& p, const std::string& run);

// What suppressions look at.
struct FindingInfo {
  FindingKind kind = FindingKind::none;
  std::vector<Frame> frames;  // of all stacks of the finding
  std::string variable;       // name of the memory or object; "" if there is none
  std::string fingerprint;
};
FindingInfo describe(View& v, const Problem& p, const std::string& run);

}  // namespace jostle::report
