// What cover() predicts and exposes, against what all executions expose: dfs, which leaves out
// none. (Executions of one class, of which a check makes one, may differ in what they expose: reads
// of one object commute, but only the first depends on the write before.)
#include <gtest/gtest.h>

#include <cstdio>
#include <jostle/jostle.hpp>
#include <map>
#include <set>

#include "tests/check/toy.h"
#include "tests/cover/programs.h"

namespace {

struct Counts {
  std::size_t exposable = 0, exposed = 0, predicted = 0;
  std::size_t infeasible = 0;  // called so, although it can be exposed
  // Exposed, although dfs did not: it interrupts threads at plain accesses that race, cover at all
  // that touch what is shared.
  std::size_t wrong = 0;
  std::size_t set_aside = 0;  // called infeasible
  std::size_t candidates = 0, executions = 0, checked = 0;
};

jostle::Options options(const std::string& name) {
  jostle::Options o;
  o.quiet = true;
  o.minimize = false;
  o.keep_going = true;
  o.memo = "none";
  o.name = name;
  o.output = testing::TempDir() + "/jostle-cover";
  return o;
}

// False if the check did not come to its end.
bool compare(const std::string& name, const std::function<void()>& body, Counts& sum,
             bool verbose = false) {
  jostle::Options o = options(name);
  o.coverage = true;
  o.executions = 40'000;
  o.strategy = "dfs";
  const jostle::Result truth = jostle::run(body, o);
  EXPECT_EQ(truth.error, "") << name;
  if (!truth.complete) return false;
  std::set<std::string> possible;
  for (const auto& i : truth.coverage.items) possible.insert(i.id);
  const jostle::Result r = jostle::cover(body, options(name));
  EXPECT_EQ(r.error, "") << name;
  Counts c;
  c.checked = truth.executions;
  c.executions = r.executions;
  c.exposable = possible.size();
  for (const auto& i : r.coverage.items) {
    c.candidates += i.predicted;
    const bool real = possible.contains(i.id);
    c.set_aside += !i.infeasible.empty();
    if (i.exposed && !real) {
      ++c.wrong;
      if (verbose) {
        std::printf("  not possible %s:", i.metric.c_str());
        for (const auto& p : i.places) std::printf(" %s;", p.c_str());
        std::printf("\n");
      }
    }
    if (!real) continue;
    c.exposed += i.exposed;
    c.predicted += i.predicted;
    c.infeasible += !i.infeasible.empty();
    if (verbose && (!i.exposed || !i.predicted)) {
      std::printf("  %s %s:", i.exposed ? "not predicted" : "not exposed", i.metric.c_str());
      for (const auto& p : i.places) std::printf(" %s;", p.c_str());
      std::printf("\n");
    }
  }
  std::printf(
      "%-14s %5zu can be exposed (%zu executions), %5zu are (%zu executions), %5zu predicted of "
      "%zu candidates, %zu infeasible\n",
      name.c_str(), c.exposable, c.checked, c.exposed, c.executions, c.predicted, c.candidates,
      c.set_aside);
  sum.wrong += c.wrong;
  sum.set_aside += c.set_aside;
  sum.exposable += c.exposable;
  sum.exposed += c.exposed;
  sum.predicted += c.predicted;
  sum.infeasible += c.infeasible;
  sum.candidates += c.candidates;
  return true;
}

void expect_thorough(const Counts& c, const std::string& name) {
  EXPECT_GE(c.exposed * 100, c.exposable * 95) << name;
  EXPECT_GE(c.predicted * 100, c.exposable * 90) << name;
  EXPECT_EQ(c.infeasible, 0u) << name;
}

TEST(CoverAgainstAll, SmallPrograms) {
  for (const auto& p : programs::all()) {
    Counts one;
    ASSERT_TRUE(compare(std::string(p.name), p.body, one, true)) << p.name;
    expect_thorough(one, std::string(p.name));
    EXPECT_EQ(one.wrong, 0u) << p.name;
  }
}

// Programs made at random, of mutexes, atomics, conditions, semaphores and reader-writer locks.
TEST(CoverAgainstAll, RandomPrograms) {
  Counts sum;
  int programs = 0;
  for (std::uint64_t seed = 1; programs < 40; ++seed) {
    const toy::Program p = toy::random_program(seed);
    const toy::Classes classes = toy::enumerate(p, 500);
    if (classes.too_many || classes.deadlocks) continue;
    programs += compare(
        "seed " + std::to_string(seed), [&] { toy::execute(p, [](const std::string&) {}); }, sum,
        true);
  }
  std::printf(
      "%d programs: %zu can be exposed, %zu are, %zu predicted of %zu candidates, %zu set aside, "
      "%zu of them wrongly\n",
      programs, sum.exposable, sum.exposed, sum.predicted, sum.candidates, sum.set_aside,
      sum.infeasible);
  expect_thorough(sum, "all");
}

}  // namespace
