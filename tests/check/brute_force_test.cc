// check() against an enumeration of all interleavings, on programs made at random.
#include <gtest/gtest.h>

#include <jostle/jostle.hpp>

#include "tests/check/toy.h"

namespace {

std::set<std::string>* g_finals;

struct Compared {
  std::uint64_t programs = 0, executions = 0, blocked = 0, deadlocks = 0;
};

// False if there are too many interleavings to enumerate.
bool compare(std::uint64_t seed, const jostle::Options& options, Compared& sum) {
  const toy::Program p = toy::random_program(seed);
  const toy::Classes expected = toy::enumerate(p, 60'000);
  if (expected.too_many) return false;
  std::set<std::string> finals;
  g_finals = &finals;
  jostle::Options o = options;
  o.keep_going = true;
  o.minimize = false;
  o.quiet = true;
  o.output = testing::TempDir() + "/jostle-brute-force";
  const jostle::Result r =
      jostle::check([&] { toy::execute(p, [](const std::string& s) { g_finals->insert(s); }); }, o);
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(!r.findings.empty(), expected.deadlocks) << "seed " << seed << "\n" << toy::to_text(p);
  EXPECT_EQ(r.executions, expected.count) << "seed " << seed << "\n" << toy::to_text(p) << r.report;
  EXPECT_EQ(finals, expected.finals) << "seed " << seed << "\n" << toy::to_text(p);
  if (!expected.deadlocks) EXPECT_TRUE(r.complete) << r.report;
  ++sum.programs;
  sum.executions += r.executions;
  sum.blocked += r.blocked;
  sum.deadlocks += expected.deadlocks;
  return true;
}

TEST(BruteForce, RandomPrograms) {
  Compared sum;
  for (std::uint64_t seed = 1; sum.programs < 250 && !HasFatalFailure(); ++seed) {
    jostle::Options o;
    if (seed % 3 == 1) o.priority = "rand";
    if (seed % 3 == 2) o.priority = "pb";
    o.seed = seed;
    compare(seed, o, sum);
  }
  std::printf("%llu programs, %llu executions, %llu blocked, %llu with deadlocks\n",
              static_cast<unsigned long long>(sum.programs),
              static_cast<unsigned long long>(sum.executions),
              static_cast<unsigned long long>(sum.blocked),
              static_cast<unsigned long long>(sum.deadlocks));
  EXPECT_LE(sum.blocked * 1000, sum.executions);
}

}  // namespace
