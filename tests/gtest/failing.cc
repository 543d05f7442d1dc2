// Tests that fail, for output_test.cc to look at.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <jostle/gtest.hpp>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

void lost_update(std::atomic<int>& n) {
  auto work = [&] { n.store(n.load() + 1); };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

JOSTLE_TEST(Failing, Expect) {
  std::atomic<int> n{0};
  lost_update(n);
  EXPECT_EQ(n, 2) << "an update was lost";
}

JOSTLE_TEST(Failing, Assert) {
  std::atomic<int> n{0};
  lost_update(n);
  ASSERT_EQ(n, 2);
}

JOSTLE_TEST(Mended, Update) {
  std::atomic<int> n{0};
  lost_update(n);
  EXPECT_TRUE(n == 2 || std::getenv("MENDED"));
}

JOSTLE_TEST(Failing, CAssert) {
  std::atomic<int> n{0};
  lost_update(n);
  assert(n == 2);
}

JOSTLE_TEST(Failing, OtherThread) {
  std::atomic<int> n{0};
  auto work = [&] {
    const int before = n.load();
    n.store(before + 1);
    EXPECT_EQ(n.load(), before + 1) << "on a thread";
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

JOSTLE_TEST(Failing, Exception) {
  std::atomic<int> n{0};
  lost_update(n);
  if (n != 2) throw std::runtime_error("lost");
}

JOSTLE_TEST(Failing, Deadlock) {
  std::mutex a, b;
  std::thread t([&] {
    std::lock_guard x(a);
    std::lock_guard y(b);
  });
  {
    std::lock_guard y(b);
    std::lock_guard x(a);
  }
  t.join();
}

JOSTLE_TEST(Failing, Race) {
  int n = 0;
  std::thread t([&] { n = 1; });
  n = 2;
  t.join();
}

class Fixture : public testing::Test {
 protected:
  std::atomic<int> n{0};
};
JOSTLE_TEST_F(Fixture, LostUpdate) {
  lost_update(n);
  EXPECT_EQ(n, 2);
}
TEST_F(Fixture, Fine) { EXPECT_EQ(n, 0); }

class BadSetUp : public testing::Test {
 protected:
  void SetUp() override { FAIL() << "set-up failed"; }
};
JOSTLE_TEST_F(BadSetUp, NeverRuns) { FAIL() << "the body ran"; }

class Parameter : public testing::TestWithParam<int> {};
JOSTLE_TEST_P(Parameter, LostUpdate) {
  std::atomic<int> n{0};
  if (GetParam() == 1) lost_update(n);
  EXPECT_NE(n, 1);
}
INSTANTIATE_TEST_SUITE_P(Values, Parameter, testing::Values(0, 1));

TEST(RunInside, TwoRuns) {
  auto body = [] {
    std::atomic<int> n{0};
    lost_update(n);
    JOSTLE_ASSERT(n == 2);
  };
  const auto a = jostle::run(body, {.quiet = true});
  EXPECT_TRUE(a.ok()) << "first run\n" << a.report;
  const auto b = jostle::run(body, {.quiet = true});
  EXPECT_TRUE(b.ok()) << "second run\n" << b.report;
}

TEST(Other, Passes) {}
JOSTLE_TEST(Other, AlsoPasses) {
  std::atomic<int> n{0};
  std::thread t([&] { ++n; });
  t.join();
  EXPECT_EQ(n, 1);
}

}  // namespace
