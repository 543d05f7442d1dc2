// The macros of <jostle/gtest.hpp> in a test program like a user's: everything here passes.
#include <atomic>
#include <jostle/gtest.hpp>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::atomic<int> g_calls{0};

JOSTLE_TEST(Plain, Locked) {
  std::mutex m;
  int n = 0;
  auto work = [&] {
    std::lock_guard lock(m);
    ++n;
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  EXPECT_EQ(n, 2);
}

JOSTLE_TEST_WITH(Plain, FiveHundredTimes, ({.executions = 500})) { ++g_calls; }
TEST(Plain, WasCalledFiveHundredTimes) {
  // In the same process only: under ctest each test has its own.
  if (g_calls != 0) EXPECT_EQ(g_calls % 500, 0);
}

JOSTLE_TEST_WITH(Plain, SeveralOptions,
                 ({.strategy = "pct",
                   .executions = 100,
                   .depth = 2,
                   .preempt = jostle::Options::Preempt::all})) {
  std::atomic<int> n{0};
  std::thread t([&] { ++n; });
  t.join();
  EXPECT_EQ(n, 1);
}

JOSTLE_TEST(Plain, Skipped) { GTEST_SKIP() << "not here"; }

JOSTLE_TEST(Plain, AssertLeavesTheFunctionOnly) {
  auto check = [] { ASSERT_TRUE(true); };
  check();
  SUCCEED();
}

// --- fixtures ----------------------------------------------------------------------------------

class Counted : public testing::Test {
 public:
  static int constructions, destructions, set_ups, tear_downs, suites;
  static void SetUpTestSuite() { ++suites; }

 protected:
  Counted() { ++constructions; }
  ~Counted() override { ++destructions; }
  void SetUp() override {
    ++set_ups;
    value = 1;
  }
  void TearDown() override { ++tear_downs; }

  int value = 0;
  std::mutex mutex;
};
int Counted::constructions, Counted::destructions, Counted::set_ups, Counted::tear_downs,
    Counted::suites;

int g_executions;

TEST_F(Counted, OrdinaryBefore) {
  EXPECT_EQ(value, 1);
  value = 5;
}

JOSTLE_TEST_F(Counted, RebuiltForEachExecution) {
  ++g_executions;
  ASSERT_EQ(value, 1);
  std::thread t([&] {
    std::lock_guard lock(mutex);
    ++value;
  });
  {
    std::lock_guard lock(mutex);
    ++value;
  }
  t.join();
  EXPECT_EQ(value, 3);
}

TEST_F(Counted, OrdinaryAfter) {
  EXPECT_EQ(value, 1);
  EXPECT_EQ(suites, 1);
  if (g_executions == 0) return;  // filtered out
  // GoogleTest's own object of each test so far, without SetUp for Jostle's test; one per
  // execution besides.
  EXPECT_GE(g_executions, 1000);
  EXPECT_EQ(constructions - destructions, 1) << "this one";
  EXPECT_EQ(set_ups, tear_downs + 1);
  EXPECT_EQ(constructions, set_ups + 1) << "the object that GoogleTest made for Jostle's test";
  EXPECT_GE(set_ups, g_executions + 1);
}

JOSTLE_TEST_F(Counted, HelpersOfTheFixture) {
  EXPECT_FALSE(HasFailure());
  EXPECT_STREQ(testing::UnitTest::GetInstance()->current_test_info()->name(),
               "HelpersOfTheFixture");
}

class SkipsInSetUp : public testing::Test {
 protected:
  void SetUp() override { GTEST_SKIP() << "no network"; }
};
JOSTLE_TEST_F(SkipsInSetUp, NeverRuns) { FAIL() << "SetUp had skipped"; }

// --- parameters ------------------------------------------------------------------------------

class Threads : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { ready_ = true; }
  bool ready_ = false;
};

JOSTLE_TEST_P(Threads, AllAreCounted) {
  ASSERT_TRUE(ready_);
  std::atomic<int> n{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < GetParam(); ++i) threads.emplace_back([&] { ++n; });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(n, GetParam());
}
TEST_P(Threads, Ordinary) { EXPECT_GT(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(Few, Threads, testing::Values(1, 2, 3));
INSTANTIATE_TEST_SUITE_P(Named, Threads, testing::Values(4),
                         [](const auto& i) { return "With" + std::to_string(i.param); });

}  // namespace
