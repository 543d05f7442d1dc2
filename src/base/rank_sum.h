// Wilcoxon's rank-sum test: could two samples come from one distribution?
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace jostle {

// Two-sided probability of a difference at least as large, by the normal approximation with
// correction for ties and continuity: for ten values each and more. 1 if there is nothing to
// compare.
inline double rank_sum_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return 1;
  std::vector<std::pair<double, bool>> all;  // value; of the first?
  for (const double v : a) all.emplace_back(v, true);
  for (const double v : b) all.emplace_back(v, false);
  std::sort(all.begin(), all.end());
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), both = n + m;
  double ranks = 0, ties = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const auto equal = static_cast<double>(end - i);
    const double rank = static_cast<double>(i + end + 1) / 2;  // the mean of i+1 ... end
    for (; i < end; ++i)
      if (all[i].second) ranks += rank;
    ties += equal * equal * equal - equal;
  }
  const double mean = n * (both + 1) / 2;
  const double variance = n * m / 12 * (both + 1 - ties / (both * (both - 1)));
  if (variance <= 0) return 1;
  const double z = std::max(0.0, std::abs(ranks - mean) - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

}  // namespace jostle
