#include "explore/portfolio.h"

#include <gmock/gmock.h>

#include <memory>
#include <set>

namespace jostle::explore {
namespace {

using testing::HasSubstr;

std::unique_ptr<Round> filled(const Portfolio& p, std::uint64_t seed = 7) {
  auto r = std::make_unique<Round>();
  r->seed = seed;
  p.fill(*r);
  return r;
}

// The part of each arm in the weights.
std::vector<double> shares(const Portfolio& p) {
  const auto r = filled(p);
  double sum = 0;
  for (std::uint32_t i = 0; i < r->arms; ++i) sum += r->weight[i];
  std::vector<double> out;
  out.reserve(r->arms);
  for (std::uint32_t i = 0; i < r->arms; ++i) out.push_back(r->weight[i] / sum);
  return out;
}

TEST(Portfolio, ArmsAreKnownStrategies) {
  const auto p = Portfolio::make("portfolio", 3);
  ASSERT_TRUE(p);
  const auto r = filled(*p);
  EXPECT_GT(r->arms, 5u);
  ASSERT_LE(r->arms, Round::kArms);
  std::set<std::string_view> used;
  for (std::uint32_t i = 0; i < r->arms; ++i) {
    ASSERT_LT(r->arm[i].strategy, strategies().size());
    const StrategyEntry& e = strategies()[r->arm[i].strategy];
    used.insert(e.name);
    EXPECT_GT(r->weight[i], 0u) << e.name;
  }
  for (const StrategyEntry& e : strategies())
    EXPECT_EQ(used.contains(e.name), e.in_portfolio) << e.name;
}

TEST(Portfolio, OneStrategyIsOneArm) {
  const auto p = Portfolio::make("pct", 5);
  ASSERT_TRUE(p);
  const auto r = filled(*p);
  ASSERT_EQ(r->arms, 1u);
  EXPECT_EQ(strategies()[r->arm[0].strategy].name, "pct");
  EXPECT_EQ(r->arm[0].depth, 5u);
}

TEST(Portfolio, UnknownNames) {
  const auto near = Portfolio::make("pcd", 3);
  ASSERT_FALSE(near);
  EXPECT_THAT(near.error(), HasSubstr("unknown strategy 'pcd': did you mean 'pct'?"));
  const auto far = Portfolio::make("xyzzyxyzzy", 3);
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error(), HasSubstr("jostle list strategies"));
}

TEST(Portfolio, EffortFollowsWhatIsNew) {
  auto p = *Portfolio::make("portfolio", 3);
  const std::vector<double> before = shares(p);
  const std::uint32_t lucky = static_cast<std::uint32_t>(before.size()) - 1;
  for (int round = 0; round < 20; ++round) {
    for (std::uint32_t i = 0; i < before.size(); ++i) p.used(i, 10);
    p.credit(lucky, 50);
    p.end_round();
  }
  const std::vector<double> after = shares(p);
  // Nearly all of what moves, and its part of what does not.
  EXPECT_NEAR(after[lucky], 0.3 + before[lucky] * 0.7, 0.02);
  for (std::uint32_t i = 0; i < lucky; ++i) EXPECT_GE(after[i], before[i] * 0.7 * 0.99) << i;
}

TEST(Portfolio, ReturnsToTheFirstSharesWhenNothingIsNew) {
  auto p = *Portfolio::make("portfolio", 3);
  const std::vector<double> before = shares(p);
  p.used(0, 10);
  p.credit(0, 100);
  p.end_round();
  EXPECT_GT(shares(p)[0], before[0] * 1.2);
  for (int round = 0; round < 60; ++round) {
    for (std::uint32_t i = 0; i < before.size(); ++i) p.used(i, 10);
    p.end_round();
  }
  const std::vector<double> after = shares(p);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 0.001) << i;
}

// What was gained counts per execution: an arm that was used ten times as much is no better.
TEST(Portfolio, GainsCountPerExecution) {
  auto p = *Portfolio::make("portfolio", 3), q = p;
  for (std::uint32_t i = 0; i < shares(p).size(); ++i) {
    p.used(i, 10);
    q.used(i, i == 2 ? 100 : 10);
    p.credit(i, 5);
    q.credit(i, i == 2 ? 50 : 5);
  }
  p.end_round();
  q.end_round();
  EXPECT_EQ(shares(p), shares(q));
}

}  // namespace
}  // namespace jostle::explore
