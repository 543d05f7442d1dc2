// Priority functions of the user's own.
#include <gtest/gtest.h>

#include <atomic>
#include <jostle/jostle.hpp>
#include <jostle/priority.hpp>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::atomic<int> g_x, g_y;

[[gnu::noinline]] void left() { g_x = g_x + 1; }
[[gnu::noinline]] void right() { g_y = g_y + 1; }

// Fails if right() is interrupted; a lot can happen in left() before that.
void body() {
  g_x = g_y = 0;
  const auto work = [] {
    for (int i = 0; i < 2; ++i) left();
    right();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  JOSTLE_ASSERT(g_y == 2);
}

jostle::Options quietly(const char* priority) {
  jostle::Options o;
  o.quiet = true;
  o.minimize = false;
  o.priority = priority;
  o.output = testing::TempDir() + "/jostle-check";
  return o;
}

TEST(Priority, OfTheUsersOwn) {
  ASSERT_TRUE(jostle::add_priority(
      "right", "where right() is interrupted first", [](const jostle::Departure& d) {
        const bool there = d.interrupted_function().find("right") != std::string::npos;
        return there ? 0u : 1u;
      }));
  const jostle::Result first = jostle::check(body, quietly("right"));
  ASSERT_EQ(first.findings.size(), 1u);
  ASSERT_TRUE(jostle::add_priority(
      "wrong", "where left() is interrupted first", [](const jostle::Departure& d) {
        const bool there = d.next_function().find("right") != std::string::npos ||
                           d.interrupted_function().find("right") != std::string::npos;
        return there ? 1u : 0u;
      }));
  const jostle::Result last = jostle::check(body, quietly("wrong"));
  ASSERT_EQ(last.findings.size(), 1u);
  EXPECT_LT(first.executions * 3, last.executions);
}

TEST(Priority, Names) {
  const auto none = [](const jostle::Departure&) { return 0u; };
  EXPECT_FALSE(jostle::add_priority("pb", "there is one", none));
  EXPECT_NE(jostle::check(body, quietly("nobody")).error.find("there is no priority 'nobody'"),
            std::string::npos);
}

}  // namespace
