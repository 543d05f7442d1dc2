#include "explore/rounds.h"

#include <gtest/gtest.h>

#include <set>

namespace jostle::explore {
namespace {

std::unique_ptr<Round> round_of(std::initializer_list<std::uint32_t> weights,
                                std::uint64_t seed = 1) {
  auto r = std::make_unique<Round>();
  r->seed = seed;
  for (const std::uint32_t w : weights) {
    r->arm[r->arms].strategy = static_cast<std::uint16_t>(r->arms);
    r->weight[r->arms++] = w;
  }
  return r;
}

TEST(Round, ArmsAreUsedByWeight) {
  const auto r = round_of({1, 0, 3, 4});
  int used[4] = {};
  constexpr int kTotal = 40'000;
  for (std::uint64_t i = 0; i < kTotal; ++i) ++used[r->arm_of(i)];
  EXPECT_EQ(used[1], 0);
  // 20 000 independent bursts; six standard deviations are at most 0.022. A fixed seed besides.
  EXPECT_NEAR(used[0], kTotal * 0.125, kTotal * 0.022);
  EXPECT_NEAR(used[2], kTotal * 0.375, kTotal * 0.022);
  EXPECT_NEAR(used[3], kTotal * 0.5, kTotal * 0.022);
}

TEST(Round, ABurstSharesItsArm) {
  const auto r = round_of({1, 1, 1, 1});
  for (std::uint64_t i = 0; i < 1000; i += Round::kBurst)
    for (std::uint64_t k = 1; k < Round::kBurst; ++k) EXPECT_EQ(r->arm_of(i), r->arm_of(i + k));
}

// The plan of an execution is its number's, whatever round it falls into.
TEST(Round, PlansDependOnSeedAndNumberOnly) {
  const auto a = round_of({2, 1}), b = round_of({2, 1}), other = round_of({2, 1}, 2);
  b->first = 500;
  b->count = 7;
  std::set<std::uint64_t> seeds;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Plan p = a->plan(i), q = b->plan(i);
    EXPECT_EQ(p.index, i);
    EXPECT_EQ(p.seed, q.seed);
    EXPECT_EQ(p.strategy, q.strategy);
    EXPECT_EQ(p.patience, q.patience);
    EXPECT_NE(p.seed, other->plan(i).seed);
    seeds.insert(p.seed);
  }
  EXPECT_EQ(seeds.size(), 1000u);
}

TEST(Round, SomeExecutionsArePatient) {
  const auto r = round_of({1});
  int patient = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) patient += r->plan(i).patience > 0;
  EXPECT_GT(patient, 400);
  EXPECT_LT(patient, 600);
}

TEST(Round, AFewExecutionsAreVeryPatient) {
  const auto r = round_of({1});
  int most = 0;
  std::uint64_t more = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint32_t p = r->plan(i).patience;
    EXPECT_LT(p, 10'000u);
    most += p > 4000;
    more += p > Plan::kEach ? p - Plan::kEach : 0;
  }
  EXPECT_GT(most, 50);
  EXPECT_LT(more / 10'000, 100u);  // steps that this costs each execution, if threads spin
}

}  // namespace
}  // namespace jostle::explore
