// Code without hooks in an instrumented test: a promise would not hold for what it shares.
#include <gtest/gtest.h>

#include <jostle/jostle.hpp>
#include <thread>

void add_plain(int n);
void add_library(int n);

namespace {

// Both have a lost update that no schedule at synchronisation shows.
void body() {
  const auto add = [] {
    add_plain(1);
    add_library(1);
  };
  std::thread other(add);
  add();
  other.join();
}

jostle::Options options(const char* strategy, const char* trust) {
  jostle::Options o;
  o.strategy = strategy;
  o.trust = trust;
  o.quiet = true;
  o.output = testing::TempDir() + "/jostle-blind";
  return o;
}

TEST(BlindSpots, KeepASearchFromPromising) {
  for (const char* strategy : {"check", "dfs"}) {
    const jostle::Result r = jostle::run(body, options(strategy, ""));
    EXPECT_FALSE(r.complete);
    EXPECT_EQ(r.guarantee, "");
    ASSERT_EQ(r.uncontrolled.size(), 1u) << r.report;
    EXPECT_EQ(r.uncontrolled[0],
              "memory accesses of plain.cc and libblind_library.so: not compiled with "
              "jostle_instrument() (option trust, if they share nothing)");
  }
}

TEST(BlindSpots, AreTakenAtTheUsersWord) {
  for (const char* strategy : {"check", "dfs"}) {
    const jostle::Result some = jostle::run(body, options(strategy, "libblind*"));
    EXPECT_FALSE(some.complete);
    ASSERT_EQ(some.uncontrolled.size(), 1u) << some.report;
    EXPECT_NE(some.uncontrolled[0].find("accesses of plain.cc: "), std::string::npos);
    const jostle::Result all = jostle::run(body, options(strategy, "plain.cc,libblind*"));
    EXPECT_TRUE(all.complete) << all.report;
    EXPECT_NE(all.guarantee.find("none failed, provided that no code of plain.cc and "
                                 "libblind_library.so shares memory between threads"),
              std::string::npos)
        << all.guarantee;
  }
}

TEST(BlindSpots, AreNoNewsWhereNothingIsPromised) {
  const jostle::Result r = jostle::run(body, options("portfolio", ""));
  EXPECT_TRUE(r.uncontrolled.empty()) << r.report;
}

}  // namespace
