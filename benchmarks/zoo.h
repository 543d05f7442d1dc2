// The cases of tests/zoo, linked into this program.
#pragma once

#include <string>
#include <vector>

#include "tests/support/case.h"

namespace jostle_bench {

struct ZooCase {
  std::string name, expect;
  void (*body)();
};

// Those with a bug, or those in which it was fixed; sorted by name.
std::vector<ZooCase> zoo_cases(bool failing);

}  // namespace jostle_bench
