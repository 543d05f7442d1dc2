// Registers that a function must leave as they are, as its caller sees them, and where its frame
// is.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace jostle {

struct Registers {
  std::uint64_t pc;  // the place that they belong to; 0: unknown
  std::uint64_t rbx, rbp, sp, r12, r13, r14, r15;
  Address cfa;

  // By the number that debug information has for it. False: others may have changed it.
  bool get(std::uint64_t number, std::uint64_t& out) const {
    switch (number) {
      case 3:
        return out = rbx, true;
      case 6:
        return out = rbp, true;
      case 7:
        return out = sp, true;
      case 12:
        return out = r12, true;
      case 13:
        return out = r13, true;
      case 14:
        return out = r14, true;
      case 15:
        return out = r15, true;
      default:
        return false;
    }
  }
};

}  // namespace jostle
