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

// Every execution is made once, whichever order it is taken from; and a search that is put away on
// disk, or stopped and gone on with, comes to the same.
TEST(Priority, OrdersThatTakeTurns) {
  const auto fine = [] {
    std::mutex m;
    const auto work = [&] {
      for (int i = 0; i < 3; ++i) std::lock_guard guard(m);
    };
    std::thread a(work), b(work), c(work);
    for (std::thread* t : {&a, &b, &c}) t->join();
  };
  for (const char* orders : {"pb;rand", "mdpor,pb;rand;rand;ss"}) {
    jostle::Options o = quietly(orders);
    o.name = "turns";
    jostle::begin_test();
    const jostle::Result all = jostle::check(fine, o);
    EXPECT_EQ(all.executions, 1680u) << all.incomplete;
    EXPECT_EQ(all.blocked, 0u);
    o.executions = 700;
    jostle::begin_test();
    EXPECT_FALSE(jostle::check(fine, o).complete);
    o.executions = 1'000'000;
    o.resume = true;
    jostle::begin_test();
    const jostle::Result resumed = jostle::check(fine, o);
    for (const std::string& note : resumed.notes) ADD_FAILURE() << note;
    EXPECT_EQ(resumed.executions, 1680u);
    EXPECT_TRUE(resumed.complete);
    jostle::begin_test();
    o.resume = false;
    o.memory = 3;
    o.reduction = jostle::Options::Reduction::none;
    o.executions = 20'000;
    EXPECT_EQ(jostle::check(fine, o).executions, 20'000u);
    jostle::begin_test();
    o = quietly("");
    o.jobs = 2;
    const jostle::Result two = jostle::check(fine, o);
    EXPECT_EQ(two.executions, 1680u);
    EXPECT_GT(two.speedup, 0.0);
    ASSERT_FALSE(two.notes.empty());
    EXPECT_NE(two.notes.back().find("2 processes"), std::string::npos);
  }
  const char* const nine = "pb;pb;pb;pb;pb;pb;pb;pb;pb";
  EXPECT_NE(jostle::check(fine, quietly(nine)).error.find("at most eight"), std::string::npos);
  for (const std::uint32_t jobs : {3u, 8u, 11u})  // an order for each, as far as there are some
    for (const char* bound : {"", "4"}) {
      jostle::begin_test();
      jostle::Options o = quietly("");
      o.jobs = jobs;
      o.preemptions = bound;
      const jostle::Result r = jostle::check(fine, o);
      EXPECT_TRUE(r.complete) << r.incomplete;
      if (*bound == 0) {
        EXPECT_EQ(r.executions, 1680u) << jobs;
      }
    }
}

// What the user names comes first, and a name that nothing has is told.
TEST(Priority, OfNames) {
  const jostle::Result plain = jostle::check(body, quietly("pb"));
  for (const char* p : {"method(right)", "var(g_y)", "recent(priority_test.cc:16-16)"}) {
    const jostle::Result r = jostle::check(body, quietly(p));
    ASSERT_EQ(r.findings.size(), 1u) << p;
    EXPECT_LE(r.executions, plain.executions) << p;
    for (const std::string& note : r.notes) EXPECT_EQ(note.find("option priority"), note.npos);
  }
  const std::pair<const char*, const char*> unmet[] = {
      {"method(right,nosuch)", "no function 'nosuch' was met"},
      {"var(nosuch)", "no static variable 'nosuch' was met"},
      {"recent(nosuch.cc:1-3)", "no such file or range"}};
  for (const auto& [p, text] : unmet) {
    const jostle::Result r = jostle::check(body, quietly(p));
    ASSERT_FALSE(r.notes.empty()) << p;
    EXPECT_NE(r.notes.front().find(text), std::string::npos) << r.notes.front();
  }
  EXPECT_NE(jostle::check(body, quietly("method()")).error.find("needs names"), std::string::npos);
}

// Each of the built-in ones comes to the same in the end.
TEST(Priority, AllOfThem) {
  const auto fine = [] {
    std::mutex m;
    const auto work = [&] {
      for (int i = 0; i < 2; ++i) std::lock_guard guard(m);
    };
    std::thread a(work), b(work), c(work);
    for (std::thread* t : {&a, &b, &c}) t->join();
  };
  for (const char* p : {"pb", "mdpor", "dpor", "ss", "rand", "method(work)", "var(g_x)",
                        "recent(priority_test.cc)", "dpor,ss,pb"}) {
    const jostle::Result r = jostle::check(fine, quietly(p));
    EXPECT_TRUE(r.complete) << p << r.incomplete;
    EXPECT_EQ(r.executions, 90u) << p;
  }
}

TEST(Priority, Names) {
  const auto none = [](const jostle::Departure&) { return 0u; };
  EXPECT_FALSE(jostle::add_priority("pb", "there is one", none));
  EXPECT_NE(jostle::check(body, quietly("nobody")).error.find("there is no priority 'nobody'"),
            std::string::npos);
}

}  // namespace
