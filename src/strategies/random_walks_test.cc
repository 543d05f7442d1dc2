// What the randomised strategies promise, measured. Seeds are fixed, so a test either always
// passes or never; the probabilities say how unlucky a correct strategy must be to fail.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "strategies/delay_bounded.h"
#include "strategies/fake_program.h"
#include "strategies/pct.h"
#include "strategies/pos.h"
#include "strategies/random.h"
#include "strategies/registry.h"
#include "strategies/round_robin.h"
#include "strategies/surw.h"
#include "strategies/urw.h"

namespace jostle {
namespace {

using Execution = FakeProgram::Execution;

Plan plan_of(std::uint64_t seed, std::uint16_t depth = 0, std::uint32_t length = 0) {
  Plan p;
  p.seed = mix64(seed);
  p.depth = depth;
  p.length = length;
  return p;
}

template <class Bug>
int count(FakeProgram& program, Strategy& s, int seeds, std::uint16_t depth, std::uint32_t length,
          Bug bug, const Profile& profile = {}) {
  int n = 0;
  for (int i = 0; i < seeds; ++i)
    n += bug(program.run(s, plan_of(static_cast<std::uint64_t>(i), depth, length), profile));
  return n;
}

double chi_square(const std::map<std::string, int>& counts,
                  const std::map<std::string, double>& expected, int total) {
  double chi = 0;
  for (const auto& [text, p] : expected) {
    const auto at = counts.find(text);
    const double c = at == counts.end() ? 0 : at->second, e = p * total;
    chi += (c - e) * (c - e) / e;
  }
  return chi;
}

// --- pct ---------------------------------------------------------------------------------------

// P >= 1/(n k^(d-1)). With N seeds and N/(n k^(d-1)) >= 1000 the count is below 80 % of the bound
// with probability below exp(-1000 * 0.2^2 / 2) = 2e-9 (Chernoff).
TEST(Pct, FindsABugOfDepthOne) {
  // Thread C runs before all others.
  auto p = FakeProgram::of_lengths({3, 3, 3});
  Pct s;
  const int seeds = 3000;
  EXPECT_GE(count(p, s, seeds, 1, 9, [](const Execution& e) { return e.order[0] == 2; }),
            0.8 * seeds / 3);
}

TEST(Pct, FindsABugOfDepthTwo) {
  // B's third step between A's third and fourth.
  auto p = FakeProgram::of_lengths({6, 6});
  Pct s;
  const int seeds = 24'000;
  const double bound = seeds / (2.0 * 12);
  EXPECT_GE(count(p, s, seeds, 2, 12,
                  [](const Execution& e) {
                    return e.position(0, 2) < e.position(1, 2) &&
                           e.position(1, 2) < e.position(0, 3);
                  }),
            0.8 * bound);
}

TEST(Pct, FindsABugOfDepthThree) {
  // A2 < B2 < A4 < B4.
  auto p = FakeProgram::of_lengths({5, 5});
  Pct s;
  const int seeds = 200'000;
  const double bound = seeds / (2.0 * 10 * 10);
  EXPECT_GE(count(p, s, seeds, 3, 10,
                  [](const Execution& e) {
                    return e.position(0, 1) < e.position(1, 1) &&
                           e.position(1, 1) < e.position(0, 3) &&
                           e.position(0, 3) < e.position(1, 3);
                  }),
            0.8 * bound);
}

TEST(Pct, FindsABugOfDepthTwoAmongFiveThreads) {
  auto p = FakeProgram::of_lengths({4, 4, 4, 4, 4});
  Pct s;
  const int seeds = 100'000;
  const double bound = seeds / (5.0 * 20);
  EXPECT_GE(count(p, s, seeds, 2, 20,
                  [](const Execution& e) {
                    return e.position(3, 1) < e.position(4, 1) &&
                           e.position(4, 1) < e.position(3, 2);
                  }),
            0.8 * bound);
}

TEST(Pct, InterruptsAtMostDepthMinusOneTimes) {
  auto p = FakeProgram::of_lengths({6, 6, 6});
  Pct s;
  for (std::uint16_t d = 1; d <= 5; ++d)
    for (std::uint64_t seed = 0; seed < 300; ++seed)
      // The first decision may leave thread 0, which runs as the test begins.
      EXPECT_LE(p.run(s, plan_of(seed, d, 18)).preemptions, d) << "depth " << d << " seed " << seed;
}

class OpenPct : public Pct {
 public:
  std::vector<std::uint32_t> changes() const { return {change_, change_ + changes_}; }
};

TEST(Pct, ChangePointsAreDistinctAndInRange) {
  OpenPct s;
  for (std::uint16_t depth = 1; depth <= 8; ++depth)
    for (const std::uint32_t length : {2u, 3u, 5u, 8u, 100u})
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        s.begin(plan_of(seed, depth, length), {});
        const auto c = s.changes();
        ASSERT_EQ(c.size(), std::min<std::size_t>(depth - 1u, length - 1));
        for (std::size_t i = 0; i < c.size(); ++i) {
          ASSERT_GE(c[i], 1u);
          ASSERT_LT(c[i], length);
          ASSERT_TRUE(i == 0 || c[i - 1] < c[i]);
        }
      }
}

// 10 points, 2 of them each time: chi-square of how often each is taken, 9 degrees of freedom
// (and less, since the two exclude each other): above 60 with probability below 2e-9.
TEST(Pct, ChangePointsAreUniform) {
  OpenPct s;
  int counts[11] = {};
  for (std::uint64_t seed = 0; seed < 50'000; ++seed) {
    s.begin(plan_of(seed, 3, 11), {});
    for (const std::uint32_t c : s.changes()) ++counts[c];
  }
  double chi = 0;
  for (int i = 1; i <= 10; ++i) chi += (counts[i] - 1e4) * (counts[i] - 1e4) / 1e4;
  EXPECT_LT(chi, 60);
}

TEST(Pct, TerminatesForAnyParameters) {
  auto p = FakeProgram::of_lengths({3, 3});
  Pct s;
  for (const std::uint16_t d : {0, 1, 2, 40, 1000})
    for (const std::uint32_t k : {0u, 1u, 2u, 5u})
      EXPECT_EQ(p.run(s, plan_of(1, d, k)).order.size(), 6u);
}

TEST(PctLarge, ReachesWhatStrictPrioritiesCannot) {
  // ABABABAB needs seven switches: never with depth 2, now and then with weights.
  auto p = FakeProgram::of_lengths({4, 4});
  Pct strict;
  PctLarge weighted;
  auto alternates = [](const Execution& e) { return e.text() == "ABABABAB"; };
  EXPECT_EQ(count(p, strict, 20'000, 2, 8, alternates), 0);
  auto some = [](const Execution& e) { return e.preemptions >= 4; };
  EXPECT_GT(count(p, weighted, 20'000, 2, 8, some), 0);
}

// --- pos ---------------------------------------------------------------------------------------

FakeStep write_to(Address a) { return {EventKind::atomic_store, a}; }

// Both orders of two writers have probability 1/2: 10 000 draws, 350 off is 7 standard
// deviations, 3e-12.
TEST(Pos, TwoWriters) {
  FakeProgram p({{write_to(8)}, {write_to(8)}});
  Pos s;
  EXPECT_NEAR(count(p, s, 10'000, 0, 0, [](const Execution& e) { return e.order[0] == 0; }), 5000,
              350);
}

// Racing operations draw again: a fair coin at each step. Chi-square, 5 degrees of freedom:
// above 50 with probability 1e-9.
TEST(Pos, RacingWritesAreAFairCoinEach) {
  FakeProgram p({{write_to(8), write_to(8)}, {write_to(8), write_to(8)}});
  Pos s;
  const int total = 40'000;
  std::map<std::string, int> counts;
  for (int i = 0; i < total; ++i) ++counts[p.run(s, plan_of(static_cast<std::uint64_t>(i))).text()];
  const std::map<std::string, double> expected = {{"AABB", 1 / 4.}, {"BBAA", 1 / 4.},
                                                  {"ABAB", 1 / 8.}, {"ABBA", 1 / 8.},
                                                  {"BABA", 1 / 8.}, {"BAAB", 1 / 8.}};
  EXPECT_LT(chi_square(counts, expected, total), 50);
}

// An operation that races with nothing keeps its priority. It runs when its one draw beats the
// other's current one: at place i of k with probability 1/((i+1)(i+2)), last with 1/(k+1).
// Chi-square, 4 degrees of freedom: above 48 with probability 1e-9.
TEST(Pos, IndependentOperationsKeepTheirPriority) {
  FakeProgram p({{write_to(8)}, {write_to(16), write_to(16), write_to(16), write_to(16)}});
  Pos s;
  const int total = 25'000;
  std::map<std::string, int> counts;
  for (int i = 0; i < total; ++i) ++counts[p.run(s, plan_of(static_cast<std::uint64_t>(i))).text()];
  const std::map<std::string, double> expected = {{"ABBBB", 1 / 2.},
                                                  {"BABBB", 1 / 6.},
                                                  {"BBABB", 1 / 12.},
                                                  {"BBBAB", 1 / 20.},
                                                  {"BBBBA", 1 / 5.}};
  EXPECT_LT(chi_square(counts, expected, total), 48);
}

// --- urw, surw -----------------------------------------------------------------------------------

void expect_uniform(FakeProgram& p, Strategy& s, std::size_t interleavings, double limit) {
  const Profile profile = p.profile();
  const int total = static_cast<int>(interleavings) * 200;
  std::map<std::string, int> counts;
  for (int i = 0; i < total; ++i)
    ++counts[p.run(s, plan_of(static_cast<std::uint64_t>(i)), profile).text()];
  EXPECT_EQ(counts.size(), interleavings);
  double chi = 0;
  for (const auto& [text, c] : counts) chi += (c - 200.0) * (c - 200.0) / 200.0;
  EXPECT_LT(chi, limit);
}

// Limits: the chi-square quantile for 1e-9 (Wilson-Hilferty).
double limit_for(double freedom) {
  const double z = 6.0, a = 2 / (9 * freedom);
  return freedom * std::pow(1 - a + z * std::sqrt(a), 3);
}

TEST(Urw, UniformOverInterleavings) {
  Urw s;
  auto two = FakeProgram::of_lengths({3, 3});
  expect_uniform(two, s, 20, limit_for(19));
  auto unequal = FakeProgram::of_lengths({1, 6});
  expect_uniform(unequal, s, 7, limit_for(6));
  auto three = FakeProgram::of_lengths({2, 3, 2});
  expect_uniform(three, s, 210, limit_for(209));
}

// Events of unborn children count for their parents: all interleavings after the creation.
TEST(Urw, UniformWithThreadsThatAppear) {
  Urw s;
  FakeProgram p({{{EventKind::thread_create, 0, 1}, {}, {}}, {{}, {}}});
  expect_uniform(p, s, 6, limit_for(5));
  // The creation itself competes with another thread, and drags the child's steps along.
  FakeProgram q({{{EventKind::thread_create, 0, 2}}, {{}, {}}, {{}, {}}});
  // Linear extensions: A before both C; two B anywhere: 5!/(2! 3!) * 1 = 10.
  expect_uniform(q, s, 10, limit_for(9));
}

// A wrong profile still gives every thread a chance.
TEST(Urw, OutlivesItsCounts) {
  Urw s;
  auto p = FakeProgram::of_lengths({4, 4});
  Profile wrong;
  wrong.threads = 1;
  wrong.events[0] = 1;
  std::map<std::string, int> counts;
  for (std::uint64_t i = 0; i < 20'000; ++i) ++counts[p.run(s, plan_of(i), wrong).text()];
  EXPECT_EQ(counts.size(), 70u);  // each has probability >= 2^-8 of being drawn: missed with 1e-30
}

// Thread A accesses the object at once and at its end, B twice in a row.
std::map<std::string, int> orders_of_accesses(int total) {
  const Address x = 0x100;
  FakeProgram p({{write_to(x), {}, {}, {}, {}, {}, write_to(x)}, {{}, write_to(x), write_to(x)}});
  Surw s;
  const Profile profile = p.profile();
  std::map<std::string, int> counts;
  for (int i = 0; i < total; ++i) {
    const Execution e = p.run(s, plan_of(static_cast<std::uint64_t>(i)), profile);
    std::string order;
    int seen[2] = {};
    for (const ThreadId t : e.order) {
      const int k = seen[t]++;
      if (t == 0 ? (k == 0 || k == 6) : k >= 1) order += static_cast<char>('A' + t);
    }
    ++counts[order];
  }
  return counts;
}

// Only accesses to the chosen object count: their order is uniform whatever lies between.
TEST(Surw, UniformOverTheAccesses) {
  std::map<std::string, double> expected;
  for (const char* o : {"AABB", "ABAB", "ABBA", "BAAB", "BABA", "BBAA"}) expected[o] = 1 / 6.;
  EXPECT_LT(chi_square(orders_of_accesses(6000), expected, 6000), limit_for(5));
}

// --- db, round robin, random -----------------------------------------------------------------

TEST(DelayBounded, InterruptsAtMostDTimes) {
  auto p = FakeProgram::of_lengths({5, 5, 5});
  DelayBounded s;
  for (std::uint16_t d = 1; d <= 4; ++d)
    for (std::uint64_t seed = 0; seed < 500; ++seed)
      EXPECT_LE(p.run(s, plan_of(seed, d, 15)).preemptions, d);
}

// One delay at each step of two threads of k: all of B at one place within A. Each place has
// probability at least 1/8; one is missed in 4000 draws with probability 5 * (7/8)^4000 < 1e-200.
TEST(DelayBounded, OneDelayReachesEveryStep) {
  auto p = FakeProgram::of_lengths({4, 4});
  DelayBounded s;
  std::map<std::string, int> counts;
  for (std::uint64_t i = 0; i < 4000; ++i) ++counts[p.run(s, plan_of(i, 1, 8)).text()];
  for (const char* t : {"AAAABBBB", "BBBBAAAA", "ABBBBAAA", "AABBBBAA", "AAABBBBA"})
    EXPECT_GT(counts[t], 0) << t;
  EXPECT_EQ(counts.size(), 5u);
}

TEST(DelayBounded, WithoutADelayItIsTheOrderOfCreation) {
  auto p = FakeProgram::of_lengths({2, 2, 2});
  DelayBounded s;
  bool seen = false;
  for (std::uint64_t i = 0; i < 200; ++i) seen |= p.run(s, plan_of(i, 1, 1000)).text() == "AABBCC";
  EXPECT_TRUE(seen);  // the delay lies beyond the 6 steps in 99 % of the draws
}

TEST(RoundRobin, TakesTurns) {
  auto p = FakeProgram::of_lengths({4, 4, 4});
  RoundRobin s;
  Plan plan;
  plan.seed = 0;  // turns of one
  EXPECT_EQ(p.run(s, plan).text(), "BCABCABCABCA");
  plan.seed = 1;  // of two
  const std::string two = p.run(s, plan).text();
  for (std::size_t i = 0; i + 2 < two.size(); ++i)
    EXPECT_FALSE(two[i] == two[i + 1] && two[i] == two[i + 2]) << two;
}

TEST(Random, StickinessOneIsUniform) {
  // Each step a fair coin while both can run: AABB and BBAA 1/4, the others 1/8. Chi-square, 5
  // degrees of freedom: above 50 with probability 1e-9.
  auto p = FakeProgram::of_lengths({2, 2});
  Random s;
  std::map<std::string, int> counts;
  const int total = 40'000;
  for (int i = 0; i < total; ++i) {
    Plan plan = plan_of(static_cast<std::uint64_t>(i));
    plan.stickiness = 1;
    ++counts[p.run(s, plan).text()];
  }
  const std::map<std::string, double> expected = {{"AABB", 1 / 4.}, {"BBAA", 1 / 4.},
                                                  {"ABAB", 1 / 8.}, {"ABBA", 1 / 8.},
                                                  {"BABA", 1 / 8.}, {"BAAB", 1 / 8.}};
  EXPECT_LT(chi_square(counts, expected, total), 50);
}

TEST(Random, StickinessKeepsTheThread) {
  // Left with probability 1/8 * 1/2 = 1/16 at each decision between two threads.
  auto p = FakeProgram::of_lengths({100, 100});
  Random s;
  int preemptions = 0, decisions = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Plan plan = plan_of(i);
    plan.stickiness = 8;
    const Execution e = p.run(s, plan);
    preemptions += e.preemptions;
    decisions += static_cast<int>(e.decisions.size());
  }
  // Independent from decision to decision: 7 standard deviations, 3e-12.
  EXPECT_NEAR(preemptions, decisions / 16.0, 7 * std::sqrt(decisions / 16.0));
}

// --- all of them -----------------------------------------------------------------------------

TEST(Registry, NamesAreUniqueAndFound) {
  for (std::size_t i = 0; i < strategies().size(); ++i) {
    EXPECT_EQ(find_strategy(strategies()[i].name), static_cast<int>(i));
    EXPECT_FALSE(strategies()[i].text.empty());
  }
  EXPECT_EQ(find_strategy("no such"), -1);
  EXPECT_EQ(find_strategy(""), -1);
}

// The same plan gives the same schedule, whatever was executed in between; and what a strategy
// picks can run (the fake program aborts otherwise).
TEST(Registry, SamePlanSameSchedule) {
  FakeProgram p({{{EventKind::thread_create, 0, 1},
                  {EventKind::mutex_lock, 8},
                  write_to(16),
                  {EventKind::mutex_unlock, 8}},
                 {{EventKind::mutex_lock, 8},
                  write_to(16),
                  {EventKind::mutex_unlock, 8},
                  {EventKind::thread_create, 0, 2}},
                 {write_to(16), {}, write_to(24)},
                 {write_to(24), write_to(16)}});
  const Profile profile = p.profile();
  auto other = FakeProgram::of_lengths({9, 1, 5, 2, 2});
  for (const StrategyEntry& entry : strategies()) {
    Strategy& s = entry.instance();
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Plan plan = plan_of(seed, 3, 14);
      const Execution a = p.run(s, plan, profile);
      other.run(s, plan_of(seed + 1000, 2, 30));
      const Execution b = p.run(s, plan, profile);
      ASSERT_EQ(a.text(), b.text()) << entry.name << " seed " << seed;
      ASSERT_EQ(a.order.size(), 13u) << entry.name;
    }
  }
}

TEST(Registry, ManyThreads) {
  auto p = FakeProgram::of_lengths(std::vector<int>(200, 2));
  for (const StrategyEntry& entry : strategies())
    EXPECT_EQ(p.run(entry.instance(), plan_of(3, 3, 400),
                    p.profile().threads > 64 ? Profile{} : p.profile())
                  .order.size(),
              400u)
        << entry.name;
}

}  // namespace
}  // namespace jostle
