// run() itself: nested, repeated, switched off, misconfigured.
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

void lost_update() {
  std::atomic<int> n{0};
  auto work = [&] { n.store(n.load() + 1); };
  std::thread a(work), b(work);
  a.join();
  b.join();
  JOSTLE_ASSERT(n == 2);
}

TEST(Run, NestedIsPartOfTheOuterOne) {
  int inner = 0, outer = 0;
  const auto r = jostle::run(
      [&] {
        ++outer;
        const auto n = jostle::run([&] {
          ++inner;
          std::thread t([] { jostle_point(); });
          t.join();
        });
        JOSTLE_ASSERT(n.ok() && n.executions == 1);
      },
      quick(50));
  EXPECT_PASSES(r);
  EXPECT_EQ(inner, outer);
  EXPECT_GE(static_cast<std::uint64_t>(outer), r.executions);
}

TEST(Run, NestedFailureIsTheOuterOnes) {
  const auto r = jostle::run([&] { jostle::run(&lost_update); }, quick());
  EXPECT_FINDS(r, "assertion");
}

TEST(Run, SeveralInOneTest) {
  const auto a = jostle::run(&lost_update, quick());
  const auto b = jostle::run([] {}, quick(10));
  const auto c = jostle::run(&lost_update, quick());
  EXPECT_FINDS(a, "assertion");
  EXPECT_PASSES(b);
  EXPECT_FINDS(c, "assertion");
  ASSERT_EQ(a.findings.size(), 1u);
  ASSERT_EQ(c.findings.size(), 1u);
  EXPECT_EQ(a.findings[0].fingerprint, c.findings[0].fingerprint);
  EXPECT_EQ(a.findings[0].execution, c.findings[0].execution) << "the same seed, the same search";
  EXPECT_NE(a.findings[0].schedule, c.findings[0].schedule) << "one file would overwrite the other";
}

TEST(Run, ExecutesAsOftenAsAsked) {
  int calls = 0;
  auto o = quick(123);
  o.executions = 123;
  const auto r = jostle::run([&] { ++calls; }, o);
  EXPECT_PASSES(r);
  EXPECT_EQ(r.executions, 123u);
  EXPECT_EQ(calls, 123);
}

TEST(Run, NothingExecutedIsNotOk) {
  auto o = quick();
  o.executions = 0;
  int calls = 0;
  const auto r = jostle::run([&] { ++calls; }, o);
  EXPECT_EQ(calls, 0);
  EXPECT_FALSE(r.ok());
}

TEST(Run, Off) {
  Variable v("JOSTLE_OPTIONS", "off");
  int calls = 0;
  bool controlled = true;
  const auto r = jostle::run(
      [&] {
        ++calls;
        std::thread t([&] { controlled = jostle::is_controlled(); });
        t.join();
      },
      quick());
  EXPECT_PASSES(r);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(r.executions, 1u);
  EXPECT_FALSE(controlled);
}

TEST(Run, ControlledInsideOnly) {
  EXPECT_FALSE(jostle::is_controlled());
  bool inside = false;
  EXPECT_PASSES(jostle::run([&] { inside = jostle::is_controlled(); }, quick(3)));
  EXPECT_TRUE(inside);
  EXPECT_FALSE(jostle::is_controlled());
}

TEST(Run, OptionsByEnvironment) {
  int calls = 0;
  {
    Variable v("JOSTLE_OPTIONS", "executions=17:seed=5");
    EXPECT_PASSES(jostle::run([&] { ++calls; }, quick()));
    EXPECT_EQ(calls, 17);
  }
  {
    Variable v("JOSTLE_EXECUTIONS", "19");
    calls = 0;
    EXPECT_PASSES(jostle::run([&] { ++calls; }, quick()));
    EXPECT_EQ(calls, 19);
  }
}

TEST(Run, UnknownOptionNamesTheNearest) {
  int calls = 0;
  const char* cases[][3] = {{"JOSTLE_OPTIONS", "execution=17", "'executions'"},
                            {"JOSTLE_EXECUTION", "17", "'JOSTLE_EXECUTIONS'"}};
  for (const auto& [name, value, nearest] : cases) {
    Variable v(name, value);
    testing::internal::CaptureStderr();
    auto o = quick();
    EXPECT_NE(jostle::run([&] { ++calls; }, o).report.find(nearest), std::string::npos);
    o.quiet = false;
    const auto r = jostle::run([&] { ++calls; }, o);
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_FALSE(r.ok());
    EXPECT_NE(r.error.find(nearest), std::string::npos) << r.error;
    EXPECT_EQ(printed.find(nearest), printed.rfind(nearest)) << "once\n" << printed;
    EXPECT_NE(printed.find(nearest), std::string::npos) << printed;
  }
  EXPECT_EQ(calls, 0);
}

TEST(Run, UnknownStrategyNamesTheNearest) {
  auto o = quick();
  o.strategy = "ptc";
  const auto r = jostle::run([] {}, o);
  EXPECT_FALSE(r.ok());
  EXPECT_NE(r.error.find("'pct'"), std::string::npos) << r.error;
}

TEST(Run, EveryStrategyFindsALostUpdate) {
  for (const char* s :
       {"random", "round-robin", "pct", "pct-large", "db", "pos", "urw", "surw", "dfs"}) {
    auto o = quick(1000);
    o.strategy = s;
    const auto r = jostle::run(&lost_update, o);
    EXPECT_FINDS(r, "assertion") << s;
  }
}

// Looks for long before it waits as it should, and what comes then has never worked.
TEST(Run, WhatComesAfterALongSpinIsExecuted) {
  for (const int turns : {100, 1000}) {
    auto o = quick();
    o.strategy = "pct";
    o.executions = 2000;
    const auto r = jostle::run(
        [&] {
          std::atomic<bool> ready{false};
          std::mutex mutex;
          std::condition_variable changed;
          std::thread t([&] {
            std::lock_guard lock(mutex);
            ready = true;  // tells nobody
          });
          bool seen = false;
          for (int i = 0; i < turns && !seen; ++i) seen = ready;
          if (!seen) {
            std::unique_lock lock(mutex);
            while (!ready) changed.wait(lock);
          }
          t.join();
        },
        o);
    EXPECT_FINDS(r, "deadlock");
  }
}

// The steps that long spins may take are for all waits together: no execution becomes too long.
TEST(Run, ManyWaitsThatSpinStayShort) {
  auto o = quick();
  o.executions = 1000;
  o.max_steps = 20'000;
  EXPECT_PASSES(jostle::run(
      [] {
        std::atomic<int> turn{0};
        const auto take_turns = [&](int own) {
          for (int i = 0; i < 50; ++i) {
            while (turn % 2 != own) {
            }
            ++turn;
          }
        };
        std::thread a(take_turns, 0), b(take_turns, 1);
        a.join();
        b.join();
      },
      o));
}

TEST(Run, SameSeedSameSearch) {
  auto o = quick();
  o.seed = 99;
  const auto a = jostle::run(&lost_update, o), b = jostle::run(&lost_update, o);
  ASSERT_EQ(a.findings.size(), 1u);
  ASSERT_EQ(b.findings.size(), 1u);
  EXPECT_EQ(a.findings[0].execution, b.findings[0].execution);
  EXPECT_EQ(a.findings[0].fingerprint, b.findings[0].fingerprint);
}

TEST(Run, SeedsDiffer) {
  // As long as an execution fails with probability below 0.6, 20 seeds agree on the first one that
  // does with probability below 0.6^19 = 6e-5.
  bool differ = false;
  std::uint64_t first = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto o = quick();
    o.seed = seed;
    o.minimize = false;
    const auto r = jostle::run(&lost_update, o);
    ASSERT_EQ(r.findings.size(), 1u) << r.report;
    if (seed == 1) first = r.findings[0].execution;
    differ |= r.findings[0].execution != first;
  }
  EXPECT_TRUE(differ);
}

TEST(Run, KeepGoingCollectsDistinctFindings) {
  auto o = quick(500);
  o.keep_going = true;
  const auto r = jostle::run(
      [] {
        std::atomic<int> n{0};
        std::thread a([&] { n = 1; }), b([&] { n = 2; });
        a.join();
        b.join();
        if (n == 1) JOSTLE_ASSERT(!"one");
        if (n == 2) JOSTLE_ASSERT(!"two");
      },
      o);
  EXPECT_FINDS(r, "assertion,assertion");
  EXPECT_EQ(r.executions, o.executions);
}

TEST(Run, FromSeveralThreadsOfTheProgram) {
  // One after the other, but not from the main thread.
  for (int i = 0; i < 3; ++i) {
    jostle::Result r;
    std::thread t([&] { r = jostle::run(&lost_update, quick()); });
    t.join();
    EXPECT_FINDS(r, "assertion");
  }
}

TEST(Run, ChecksOfGoogleTestOnAnyThread) {
  const auto main = jostle::run([] { EXPECT_EQ(1, 2); }, quick(5));
  EXPECT_FINDS(main, "assertion");
  const auto other = jostle::run(
      [] {
        std::thread t([] { EXPECT_EQ(1, 2) << "on another thread"; });
        t.join();
      },
      quick(5));
  EXPECT_FINDS(other, "assertion");
  ASSERT_EQ(other.findings.size(), 1u);
  EXPECT_NE(other.findings[0].message.find("on another thread"), std::string::npos) << other.report;
  EXPECT_NE(other.findings[0].file.find("run_test.cc"), std::string::npos)
      << other.findings[0].file;
}

TEST(Run, SkipInTheBody) {
  int calls = 0;
  const auto r = jostle::run(
      [&] {
        ++calls;
        GTEST_SKIP() << "not today";
      },
      quick());
  EXPECT_TRUE(r.skipped);
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(calls, 1);
}

TEST(Run, SkipOnAnotherThread) {
  const auto r = jostle::run(
      [] {
        std::thread t([] { GTEST_SKIP(); });
        t.join();
      },
      quick());
  EXPECT_TRUE(r.skipped);
}

TEST(Run, SealedIsNotPreempted) {
  const auto r = jostle::run(
      [] {
        std::atomic<int> n{0};
        auto work = [&] {
          jostle::Sealed s;
          n.store(n.load() + 1);
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
        JOSTLE_ASSERT(n == 2);
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Run, ForkIsolationKeepsStateApart) {
  static int state;
  auto o = quick(30);
  o.isolation = jostle::Options::Isolation::fork;
  EXPECT_PASSES(jostle::run([] { JOSTLE_ASSERT(++state == 1); }, o));
  EXPECT_EQ(state, 0);
}

// Without isolation the state stays, the failure cannot be confirmed, and the report says why.
TEST(Run, StateLeftBehindIsNamed) {
  static int leftover;
  leftover = 0;
  const auto r = jostle::run([] { JOSTLE_ASSERT(++leftover < 5); }, quick(30));
  EXPECT_FINDS(r, "assertion(unconfirmed)");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].execution, 5u);
  EXPECT_NE(r.findings[0].report.find("leftover"), std::string::npos) << r.findings[0].report;
}

}  // namespace
