#include "explore/portfolio.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "strategies/search_kind.h"

namespace jostle::explore {

Expected<Portfolio> Portfolio::make(std::string_view strategy, std::uint32_t depth) {
  const Expected<SearchKind> kind = search_kind(strategy);
  if (!kind) return Error{kind.error()};
  Portfolio p;
  auto add = [&](std::string_view name, std::uint32_t d, std::uint32_t stickiness,
                 double share = 1) {
    p.arm_[p.arms_] = {static_cast<std::uint16_t>(find_strategy(name)),
                       static_cast<std::uint16_t>(d), stickiness};
    p.first_[p.arms_] = share;
    p.share_[p.arms_++] = share;
  };
  if (*kind == SearchKind::portfolio) {
    // Those that are best alone most often get most to begin with.
    add("pos", 0, 0, 6);
    add("urw", 0, 0, 2);
    add("pct", 3, 0, 2);
    add("random", 0, 2, 2);
    add("random", 0, 1, 1);
    add("random", 0, 8, 1);
    add("pct", 2, 0, 1);
    add("pct", 5, 0, 0.5);
    add("pct-large", 3, 0, 0.5);
    add("surw", 0, 0, 1);
    add("db", 2, 0, 0.5);
    return p;
  }
  if (find_strategy(strategy) >= 0)
    add(strategy, depth, 0);
  else  // nothing decides: see delaying_runner()
    add("random", 0, 1);
  return p;
}

void Portfolio::fill(Round& round) const {
  round.arms = arms_;
  double sum = 0, all = 0;
  for (std::uint32_t i = 0; i < arms_; ++i) {
    sum += share_[i];
    all += first_[i];
  }
  for (std::uint32_t i = 0; i < arms_; ++i) {
    round.arm[i] = arm_[i];
    // Most of it never moves: what shows new behaviour early is not always what finds the bug.
    const double part = 0.3 * share_[i] / sum + 0.7 * first_[i] / all;
    round.weight[i] = static_cast<std::uint32_t>(part * 100000) + 1;
  }
}

std::string Portfolio::favourites() const {
  const auto round = std::make_unique<Round>();
  fill(*round);
  std::map<std::string_view, double> parts;
  double sum = 0;
  for (std::uint32_t i = 0; i < arms_; ++i) {
    parts[strategies()[round->arm[i].strategy].name] += round->weight[i];
    sum += round->weight[i];
  }
  std::string text;
  for (int n = 0; n < 2 && !parts.empty(); ++n) {
    const auto best =
        std::max_element(parts.begin(), parts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    text += (n == 0 ? "" : ", ") + std::string(best->first) + " " +
            std::to_string(std::lround(100 * best->second / sum)) + "%";
    parts.erase(best);
  }
  return text;
}

void Portfolio::end_round() {
  for (std::uint32_t i = 0; i < arms_; ++i) {
    const double rate = used_[i] > 0 ? gained_[i] / used_[i] : 0;
    share_[i] = 0.5 * share_[i] + 0.5 * (0.01 * first_[i] + rate);
    gained_[i] = used_[i] = 0;
  }
}

}  // namespace jostle::explore
