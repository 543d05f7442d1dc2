// What to search, and in which order.
#pragma once

#include <jostle/options.hpp>
#include <memory>
#include <vector>

#include "base/expected.h"
#include "check/priority.h"

namespace jostle::checking {

enum class Reduction : std::uint8_t { none, dpor, source, optimal, bpor };
inline constexpr std::uint32_t kUnbounded = ~0u;

struct Search {
  Reduction reduction = Reduction::optimal;
  std::uint32_t preemptions = kUnbounded;  // most in one execution
  std::vector<Priorities> orders;          // that take turns; none: any order will do
};

// From the options; the error says what is wrong with them.
Expected<Search> make_search(const Options& options, const Code& code = {});

}  // namespace jostle::checking
