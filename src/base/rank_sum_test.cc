#include "base/rank_sum.h"

#include <gtest/gtest.h>

namespace jostle {
namespace {

// By hand: the ranks of 1..10 sum up to 55 of a mean of 105, the standard deviation is sqrt(175);
// z = (50 - 0.5) / 13.2288 = 3.7418.
TEST(RankSum, SamplesApart) {
  std::vector<double> a, b;
  for (int i = 1; i <= 10; ++i) {
    a.push_back(i);
    b.push_back(i + 10);
  }
  EXPECT_NEAR(rank_sum_p(a, b), 0.000182672, 1e-8);
  EXPECT_DOUBLE_EQ(rank_sum_p(a, b), rank_sum_p(b, a));
}

TEST(RankSum, Equals) {
  const std::vector<double> same(30, 5.0);
  EXPECT_EQ(rank_sum_p(same, same), 1);
  const std::vector<double> mixed = {1, 2, 2, 3, 3, 3, 4, 4, 5, 6};
  EXPECT_GT(rank_sum_p(mixed, mixed), 0.99);
  EXPECT_EQ(rank_sum_p({}, mixed), 1);
}

// With ties: {1,1,2} and {1,2,2} in tenfold. Ranks of 1: mean of 1..30, of 2: mean of 31..60.
TEST(RankSum, Ties) {
  std::vector<double> a, b;
  for (int i = 0; i < 10; ++i) {
    for (const double v : {1.0, 1.0, 2.0}) a.push_back(v);
    for (const double v : {1.0, 2.0, 2.0}) b.push_back(v);
  }
  // ranks = 20*15.5 + 10*45.5 = 765, mean 915; variance 75*(61 - 2*(27000-30)/3540) = 3432.2
  EXPECT_NEAR(rank_sum_p(a, b), std::erfc(149.5 / std::sqrt(3432.2034) / std::sqrt(2.0)), 1e-6);
}

}  // namespace
}  // namespace jostle
