#include "base/rng.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace jostle {
namespace {

TEST(Rng, SameSeedSameSequence) {
  Rng a(42), b(42), c(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t x = a.next();
    EXPECT_EQ(x, b.next());
    differs |= x != c.next();
  }
  EXPECT_TRUE(differs);
  a.seed(42);
  b.seed(42);
  EXPECT_EQ(a.next(), b.next());
}

// Schedules on disk depend on these numbers: they must never change.
TEST(Rng, KnownNumbers) {
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafull);  // the first output of splitmix64 with seed 0
  EXPECT_EQ(mix64(0x9e3779b97f4a7c15ull), 0x6e789e6aa1b965f4ull);  // the second
}

TEST(Rng, BelowStaysBelow) {
  Rng rng(7);
  for (const std::uint32_t n : {1u, 2u, 3u, 10u, 1000u, 0xffffffffu})
    for (int i = 0; i < 1000; ++i) {
      EXPECT_LT(rng.below(n), n);
      EXPECT_LT(rng.below64(n), n);
      const double u = rng.unit();
      EXPECT_GE(u, 0);
      EXPECT_LT(u, 1);
    }
}

// Chi-square with 9 degrees of freedom: above 60 with probability below 2e-9.
TEST(Rng, BelowIsUniform) {
  Rng rng(11);
  constexpr int kDraws = 100'000;
  int counts[10] = {}, counts64[10] = {}, chances = 0;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[rng.below(10)];
    ++counts64[rng.below64(10)];
    chances += rng.chance(1, 4);
  }
  double chi = 0, chi64 = 0;
  for (int i = 0; i < 10; ++i) {
    chi += (counts[i] - 1e4) * (counts[i] - 1e4) / 1e4;
    chi64 += (counts64[i] - 1e4) * (counts64[i] - 1e4) / 1e4;
  }
  EXPECT_LT(chi, 60);
  EXPECT_LT(chi64, 60);
  EXPECT_NEAR(chances, kDraws / 4.0, 900);  // 6.5 standard deviations: 1e-10
}

// Consecutive seeds, which is what a run uses, give unrelated first draws.
TEST(Rng, NeighbouringSeedsAreUnrelated) {
  int counts[16] = {};
  std::set<std::uint64_t> seen;
  for (std::uint64_t s = 0; s < 16'000; ++s) {
    Rng rng(s);
    ++counts[rng.below(16)];
    seen.insert(rng.next());
  }
  EXPECT_EQ(seen.size(), 16'000u);
  double chi = 0;
  for (const int c : counts) chi += (c - 1000.0) * (c - 1000.0) / 1000.0;
  EXPECT_LT(chi, 75);  // 15 degrees of freedom: 5e-10
}

TEST(Mix, CombineDependsOnOrderAndBoth) {
  EXPECT_NE(combine64(1, 2), combine64(2, 1));
  EXPECT_NE(combine64(1, 2), combine64(1, 3));
  std::set<std::uint64_t> seen;
  for (std::uint64_t a = 0; a < 100; ++a)
    for (std::uint64_t b = 0; b < 100; ++b) seen.insert(combine64(a, b));
  EXPECT_EQ(seen.size(), 10'000u);
}

}  // namespace
}  // namespace jostle
