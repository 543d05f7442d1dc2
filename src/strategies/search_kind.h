// What the option `strategy` may name: a strategy of the scheduler's, or a search that is more than
// a choice at each step.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/expected.h"

namespace jostle {

enum class SearchKind : std::uint8_t { portfolio, one_strategy, exhaustive, check, cover, delay };

struct SearchEntry {
  SearchKind kind;
  std::string_view name;
  std::string_view text;  // one line for `jostle list strategies`
};
// Those that are no strategy of the scheduler's.
std::span<const SearchEntry> other_searches();

// The error names the one that was meant.
Expected<SearchKind> search_kind(std::string_view name);

// The others are for test bodies.
inline bool is_for_programs(SearchKind k) {
  return k != SearchKind::exhaustive && k != SearchKind::delay;
}

// Its end may be a promise about all schedules.
inline bool promises(SearchKind k) { return k == SearchKind::exhaustive || k == SearchKind::check; }

}  // namespace jostle
