#include "strategies/search_kind.h"

#include <string>
#include <vector>

#include "options/nearest.h"
#include "strategies/registry.h"

namespace jostle {
namespace {

constexpr SearchEntry kOther[] = {
    {SearchKind::portfolio, "portfolio",
     "the default: those marked *, in shares that follow what they show"},
    {SearchKind::check, "check",
     "all schedules that make a difference, best first: 'jostle check'"},
    {SearchKind::cover, "cover",
     "interleavings that were predicted and not yet executed: 'jostle cover'"},
    {SearchKind::delay, "delay", "no control: ordinary threads with random delays, for comparison"},
};

}  // namespace

std::span<const SearchEntry> other_searches() { return kOther; }

Expected<SearchKind> search_kind(std::string_view name) {
  for (const SearchEntry& e : kOther)
    if (e.name == name) return e.kind;
  if (name == "dfs") return SearchKind::exhaustive;
  if (find_strategy(name) >= 0) return SearchKind::one_strategy;
  std::vector<std::string_view> names;
  for (const SearchEntry& e : kOther) names.push_back(e.name);
  for (const StrategyEntry& e : strategies()) names.push_back(e.name);
  const std::string_view near = nearest(name, names);
  return Error{"unknown strategy '" + std::string(name) + "'" +
               (near.empty() ? "; 'jostle list strategies' names them all"
                             : ": did you mean '" + std::string(near) + "'?")};
}

}  // namespace jostle
