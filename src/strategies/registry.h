// The built-in strategies by name.
#pragma once

#include <span>
#include <string_view>

#include "sched/strategy.h"

namespace jostle {

struct StrategyEntry {
  std::string_view name;
  std::string_view text;    // one line for `jostle list strategies`
  Strategy& (*instance)();  // one per process, made at first use
  bool in_portfolio;
};

std::span<const StrategyEntry> strategies();
// Index in strategies(), or -1.
int find_strategy(std::string_view name);

}  // namespace jostle
