// check() against an enumeration of all interleavings, on programs made at random.
#include <gtest/gtest.h>

#include <jostle/jostle.hpp>

#include "tests/check/toy.h"

namespace {

std::set<std::string>* g_finals;

struct Compared {
  std::uint64_t programs = 0, executions = 0, blocked = 0, deadlocks = 0;
};

// False if there are too many interleavings to enumerate. (What other processes come to is counted
// only.)
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
  if (options.jobs < 2)
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
  EXPECT_EQ(sum.blocked, 0u);
}

// In whatever order, and by several processes.
TEST(BruteForce, ManyOrders) {
  Compared sum;
  for (std::uint64_t program = 1000; sum.programs < 20 * 21; ++program) {
    if (toy::enumerate(toy::random_program(program), 2'000).too_many) continue;
    jostle::Options o;
    o.priority = "rand";
    for (o.seed = 1; o.seed <= 20; ++o.seed) compare(program, o, sum);
    o.priority = "";
    o.jobs = 2;
    compare(program, o, sum);
  }
  EXPECT_EQ(sum.blocked, 0u);
}

// An execution in which only a thread could go on that sleeps is cut: what the others were waiting
// for when it was cut races with what was done.
TEST(BruteForce, WaitsOfExecutionsThatAreCut) {
  Compared sum;
  jostle::Options o;
  o.priority = "rand";
  o.seed = 706;
  EXPECT_TRUE(compare(706, o, sum));
  EXPECT_EQ(sum.executions, 5u);
}

// Other reductions come to the same number, with more executions on the way.
TEST(BruteForce, OtherReductions) {
  for (const auto reduction :
       {jostle::Options::Reduction::source, jostle::Options::Reduction::dpor}) {
    Compared sum;
    for (std::uint64_t seed = 300; sum.programs < 60; ++seed) {
      jostle::Options o;
      o.reduction = reduction;
      o.seed = seed;
      if (seed % 2) o.priority = "rand";
      compare(seed, o, sum);
    }
    std::printf("%llu executions, %llu blocked\n", static_cast<unsigned long long>(sum.executions),
                static_cast<unsigned long long>(sum.blocked));
  }
}

// Loops that take a lock at each turn: a search that leaves most turns out comes to the same ends
// as all states.
TEST(BruteForce, Polling) {
  std::uint64_t executions = 0, stuck = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const toy::Program p = toy::random_polling_program(seed);
    const toy::Reached expected = toy::reach(p);
    std::set<std::string> finals;
    g_finals = &finals;
    jostle::Options o;
    o.keep_going = o.quiet = true;
    o.minimize = false;
    o.output = testing::TempDir() + "/jostle-brute-force";
    o.executions = 20'000;
    o.seed = seed;
    if (seed % 3 == 1) o.priority = "rand";
    const jostle::Result r = jostle::check(
        [&] { toy::execute(p, [](const std::string& s) { g_finals->insert(s); }); }, o);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(!r.findings.empty(), expected.stuck) << "seed " << seed << "\n" << toy::to_text(p);
    if (r.executions_total >= o.executions) continue;
    EXPECT_EQ(finals, expected.finals) << "seed " << seed << "\n" << toy::to_text(p);
    if (!expected.stuck) EXPECT_TRUE(r.complete) << r.incomplete << "\n" << toy::to_text(p);
    executions += r.executions;
    stuck += expected.stuck;
  }
  std::printf("%llu executions, %llu programs that can get stuck\n",
              static_cast<unsigned long long>(executions), static_cast<unsigned long long>(stuck));
}

// With a bound, every class that can be reached within it is, whatever the order.
TEST(BruteForce, BoundedPreemptionsInManyOrders) {
  std::uint64_t programs = 0;
  for (std::uint64_t seed = 2000; programs < 10; ++seed) {
    const toy::Program p = toy::random_program(seed);
    const toy::Classes all = toy::enumerate(p, 2'000);
    if (all.too_many || all.by_preemptions.size() < 2) continue;
    ++programs;
    const std::uint64_t expected = all.by_preemptions[0] + all.by_preemptions[1];
    jostle::Options o;
    o.keep_going = o.quiet = true;
    o.minimize = false;
    o.output = testing::TempDir() + "/jostle-brute-force";
    o.preemptions = "1";
    const auto classes = [&] {
      return jostle::check([&] { toy::execute(p, [](const std::string&) {}); }, o).classes;
    };
    o.priority = "rand";
    for (o.seed = 1; o.seed <= 20; ++o.seed)
      EXPECT_EQ(classes(), expected) << "seed " << seed << ", " << o.seed << "\n"
                                     << toy::to_text(p);
    o.jobs = 2;
    EXPECT_EQ(classes(), expected) << "seed " << seed << ", jobs 2\n" << toy::to_text(p);
  }
}

TEST(BruteForce, BoundedPreemptions) {
  std::uint64_t executions[2] = {}, classes = 0, programs = 0;
  for (std::uint64_t seed = 500; programs < 120; ++seed) {
    const toy::Program p = toy::random_program(seed);
    const toy::Classes all = toy::enumerate(p, 5'000);
    if (all.too_many) continue;
    ++programs;
    const auto bound = static_cast<std::size_t>(seed % 3);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i <= bound && i < all.by_preemptions.size(); ++i)
      expected += all.by_preemptions[i];
    classes += expected;
    for (const bool reduced : {true, false}) {
      jostle::Options o;
      o.keep_going = o.quiet = true;
      o.minimize = false;
      o.output = testing::TempDir() + "/jostle-brute-force";
      o.preemptions = std::to_string(bound);
      o.reduction = reduced ? jostle::Options::Reduction::auto_ : jostle::Options::Reduction::none;
      if (seed % 2) o.priority = "rand";
      const jostle::Result r =
          jostle::check([&] { toy::execute(p, [](const std::string&) {}); }, o);
      EXPECT_EQ(r.classes, expected)
          << "seed " << seed << ", bound " << bound << (reduced ? "" : ", no reduction") << "\n"
          << toy::to_text(p);
      executions[reduced] += r.executions;
    }
  }
  std::printf("%llu classes: %llu executions, without reduction %llu\n",
              static_cast<unsigned long long>(classes),
              static_cast<unsigned long long>(executions[1]),
              static_cast<unsigned long long>(executions[0]));
}

}  // namespace
