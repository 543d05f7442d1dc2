// What a check finds, and what it says at its end.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace {

jostle::Options quietly() {
  jostle::Options o;
  o.quiet = true;
  o.output = testing::TempDir() + "/jostle-check";
  return o;
}

template <class F>
std::string kind_of(F body, jostle::Options o = quietly()) {
  const jostle::Result r = jostle::check(body, o);
  EXPECT_EQ(r.error, "");
  if (r.findings.empty()) return r.complete ? "complete" : "incomplete: " + r.incomplete;
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
  EXPECT_FALSE(r.complete);
  return r.findings[0].kind;
}

TEST(Findings, LostUpdate) {
  EXPECT_EQ(kind_of([] {
              std::atomic<int> x = 0;
              std::thread a([&] { x = x + 1; });
              x = x + 1;
              a.join();
              JOSTLE_ASSERT(x == 2);
            }),
            "assertion");
}

// A plain variable: the race makes its accesses scheduling points, and the search starts again.
TEST(Findings, RacyLostUpdate) {
  const jostle::Result r = jostle::check(
      [] {
        int x = 0;
        std::thread a([&] { ++x; });
        ++x;
        a.join();
        JOSTLE_ASSERT(x == 2);
      },
      quietly());
  bool race = false, assertion = false;
  for (const auto& f : r.findings) race |= f.kind == "race", assertion |= f.kind == "assertion";
  EXPECT_TRUE(race) << r.report;
  EXPECT_TRUE(assertion) << r.report;
  EXPECT_GT(r.executions_total, r.executions);
}

// Had T1 gone on instead, T0 would have been woken: no order of the threads is to blame.
TEST(Findings, WhatMattersIsALimitThatPassesEarly) {
  const jostle::Result r = jostle::check(
      [] {
        std::mutex m;
        std::condition_variable c;
        bool ready = false;
        std::thread a([&] {
          const std::lock_guard lock(m);
          ready = true;
          c.notify_one();
        });
        {
          std::unique_lock lock(m);
          if (!ready) c.wait_for(lock, std::chrono::hours(1));
          JOSTLE_ASSERT(ready);
        }
        a.join();
      },
      quietly());
  EXPECT_NE(r.report.find("What matters: time runs out for T0 in its wait at findings_test.cc:"),
            std::string::npos)
      << r.report;
  EXPECT_NE(r.report.find("time is up"), std::string::npos) << r.report;
}

// A race that leads to no failure is found all the same: what is promised is told apart from it.
TEST(Findings, ThePromiseDoesNotDenyWhatWasFound) {
  const auto end_of_promise = [](const jostle::Options& o) {
    const jostle::Result r = jostle::check(
        [] {
          int x = 0;
          std::thread a([&] { x = 1; });
          x = 2;
          a.join();
        },
        o);
    EXPECT_TRUE(r.complete) << r.report;
    EXPECT_EQ(r.findings.empty(), !o.suppressions.empty()) << r.report;
    EXPECT_NE(r.report.find(r.guarantee + "\n"), std::string::npos) << r.report;
    return r.guarantee.substr(r.guarantee.rfind(", ") + 2);
  };
  jostle::Options o = quietly();
  EXPECT_EQ(end_of_promise(o), "no other failure");
  o.suppressions = testing::TempDir() + "/jostle-check-suppressions";
  std::ofstream(o.suppressions) << "race:*\n";
  EXPECT_EQ(end_of_promise(o), "none failed but for races that are left out");
}

// Whatever was checked before in this process: workers know nothing of it.
TEST(Findings, RaceThatWasFoundBefore) {
  const auto body = [] {
    int x = 0;
    std::thread a([&] { ++x; });
    ++x;
    a.join();
    JOSTLE_ASSERT(x == 2);
  };
  for (const std::uint32_t jobs : {1u, 2u}) {
    jostle::Options o = quietly();
    o.jobs = jobs;
    const jostle::Result r = jostle::check(body, o);
    EXPECT_EQ(r.findings.size(), 2u) << jobs << "\n" << r.report;
    for (const auto& f : r.findings) EXPECT_TRUE(f.confirmed) << jobs << "\n" << r.report;
  }
}

TEST(Findings, Deadlock) {
  EXPECT_EQ(kind_of([] {
              std::mutex m, n;
              std::thread a([&] {
                const std::lock_guard first(m);
                const std::lock_guard second(n);
              });
              {
                const std::lock_guard first(n);
                const std::lock_guard second(m);
              }
              a.join();
            }),
            "deadlock");
}

TEST(Findings, LostWakeup) {
  EXPECT_EQ(kind_of([] {
              std::mutex m;
              std::condition_variable c;
              std::thread a([&] { c.notify_one(); });
              std::unique_lock lock(m);
              c.wait(lock);
              lock.unlock();
              a.join();
            }),
            "deadlock");
}

// To free a mutex depends on those who lock it.
TEST(Findings, LockOfAFreedMutex) {
  EXPECT_EQ(kind_of([] {
              auto* m = new std::mutex;
              std::atomic<bool> go = false;
              std::thread a([&] {
                if (!go.load()) {
                  m->lock();
                  m->unlock();
                }
              });
              go = true;
              delete m;
              a.join();
            }),
            "heap");
}

TEST(Spinning, EndsWithoutEdits) {
  EXPECT_EQ(kind_of([] {
              std::atomic<bool> go = false;
              std::thread a([&] {
                while (!go) {
                }
              });
              go = true;
              a.join();
            }),
            "complete");
  EXPECT_EQ(kind_of([] {
              std::atomic<bool> go = false;
              std::thread a([&] {
                while (!go) std::this_thread::yield();
              });
              go = true;
              a.join();
            }),
            "complete");
  // A lock made by hand.
  EXPECT_EQ(kind_of([] {
              std::atomic<bool> taken = false;
              int x = 0;
              const auto work = [&] {
                while (taken.exchange(true)) {
                }
                ++x;
                taken = false;
              };
              std::thread a(work), b(work);
              work();
              a.join();
              b.join();
              JOSTLE_ASSERT(x == 3);
            }),
            "complete");
  // With a look before the leap, and two variables in one loop.
  EXPECT_EQ(kind_of([] {
              std::atomic<int> a = 0, b = 0;
              std::thread t([&] {
                while (a == 0 && b == 0) {
                }
              });
              std::thread u([&] { b = 1; });
              t.join();
              u.join();
            }),
            "complete");
  EXPECT_EQ(kind_of([] {
              std::mutex m;
              std::atomic<int> done = 0;
              const auto work = [&] {
                while (!m.try_lock()) {
                }
                ++done;
                m.unlock();
              };
              std::thread a(work);
              work();
              a.join();
            }),
            "complete");
}

TEST(Spinning, Livelock) {
  EXPECT_EQ(kind_of([] {
              std::atomic<bool> go = false;
              std::thread a([&] {
                while (!go) {
                }
              });
              a.join();
            }),
            "livelock");
  EXPECT_EQ(kind_of([] {
              std::atomic<int> turn = 0;
              std::thread a([&] {
                while (turn != 1) std::this_thread::yield();
              });
              std::thread b([&] {
                while (turn != 2) std::this_thread::yield();
                turn = 1;
              });
              a.join();
              b.join();
            }),
            "livelock");
}

// Gives up after a few turns: that is no livelock.
TEST(Spinning, BoundedRetry) {
  EXPECT_EQ(kind_of([] {
              std::atomic<bool> go = false;
              std::thread a([&] {
                for (int i = 0; i < 3 && !go; ++i) std::this_thread::yield();
              });
              a.join();
            }),
            "complete");
}

TEST(Choices, WeakCompareExchange) {
  const auto body = [] {
    std::atomic<int> x = 0;
    int expected = 0;
    JOSTLE_ASSERT(x.compare_exchange_weak(expected, 1));
  };
  EXPECT_EQ(kind_of(body), "assertion");
  jostle::Options o = quietly();
  o.weak_cas = 0;
  EXPECT_EQ(kind_of(body, o), "complete");
}

TEST(Choices, Timeout) {
  const auto body = [] {
    std::mutex m;
    std::condition_variable c;
    bool ready = false;
    std::thread a([&] {
      const std::lock_guard lock(m);
      ready = true;
      c.notify_one();
    });
    {
      std::unique_lock lock(m);
      const bool ok = c.wait_for(lock, std::chrono::seconds(1), [&] { return ready; });
      JOSTLE_ASSERT(ok);
    }
    a.join();
  };
  EXPECT_EQ(kind_of(body), "assertion");
}

TEST(Choices, SpuriousWakeup) {
  const auto body = [] {
    std::mutex m;
    std::condition_variable c;
    bool ready = false;
    std::thread a([&] {
      const std::lock_guard lock(m);
      ready = true;
      c.notify_one();
    });
    {
      std::unique_lock lock(m);
      if (!ready) c.wait(lock);
      JOSTLE_ASSERT(ready);
    }
    a.join();
  };
  EXPECT_EQ(kind_of(body), "complete");
  jostle::Options o = quietly();
  o.spurious = 1;
  EXPECT_EQ(kind_of(body, o), "assertion");
}

TEST(Limits, Executions) {
  jostle::Options o = quietly();
  o.executions = 5;
  const jostle::Result r = jostle::check(
      [] {
        std::atomic<int> x = 0;
        std::vector<std::thread> t;
        for (int i = 0; i < 4; ++i) t.emplace_back([&] { ++x; });
        for (auto& a : t) a.join();
      },
      o);
  EXPECT_FALSE(r.complete);
  EXPECT_EQ(r.incomplete, "the limit of 5 executions is reached");
}

// What does not fit into memory waits on disk, and nothing else changes.
TEST(Limits, Memory) {
  const auto body = [] {
    std::mutex m;
    const auto work = [&] {
      for (int i = 0; i < 2; ++i) std::lock_guard guard(m);
    };
    std::thread a(work), b(work), c([&] { std::lock_guard guard(m); });
    a.join();
    b.join();
    c.join();
  };
  jostle::Options o = quietly();
  o.name = "spills";
  o.reduction = jostle::Options::Reduction::none;
  o.priority = "pb";
  const jostle::Result all = jostle::check(body, o);
  ASSERT_TRUE(all.complete) << all.incomplete;
  o.memory = 3;
  const jostle::Result spilled = jostle::check(body, o);
  EXPECT_TRUE(spilled.complete) << spilled.incomplete;
  EXPECT_EQ(spilled.executions, all.executions);
  EXPECT_EQ(spilled.classes, 30u);
  EXPECT_LT(spilled.peak_nodes, all.peak_nodes);

  // It stops, and goes on, in the middle of that.
  jostle::Options half = o;
  half.executions = all.executions / 2;
  jostle::begin_test();  // or they would have names of their own
  EXPECT_FALSE(jostle::check(body, half).complete);
  o.resume = true;
  jostle::begin_test();
  const jostle::Result resumed = jostle::check(body, o);
  EXPECT_TRUE(resumed.complete) << resumed.incomplete;
  EXPECT_EQ(resumed.executions, all.executions);
  for (const std::string& note : resumed.notes) ADD_FAILURE() << note;
}

// What failed before a check was stopped, or was not controlled, is not forgotten when it goes on:
// it ends as one that was not stopped, whichever executions came first.
TEST(Resume, KnowsWhatWasFound) {
  static int failing, forking;
  const auto body = [] {
    std::mutex m;
    int order = 0;
    const auto work = [&](int who) {
      for (int i = 0; i < 2; ++i) {
        std::lock_guard guard(m);
        order = order * 10 + who;
      }
    };
    std::thread a(work, 1), b(work, 2), c(work, 3);
    for (std::thread* t : {&a, &b, &c}) t->join();
    if (order == forking && fork() == 0) _exit(0);
    JOSTLE_ASSERT(order != failing);
  };
  const auto search = [&](std::uint64_t executions, bool resume) {
    jostle::Options o = quietly();
    o.name = "resumed";
    o.keep_going = true;
    o.minimize = false;
    if (executions) o.executions = executions;
    o.resume = resume;
    jostle::begin_test();  // or they would have names of their own
    return jostle::check(body, o);
  };
  for (const auto& [fails, forks] : {std::pair{112233, 0}, {0, 112233}, {123123, 0}}) {
    SCOPED_TRACE(std::to_string(fails) + " " + std::to_string(forks));
    failing = fails;
    forking = forks;
    const jostle::Result whole = search(0, false);
    EXPECT_FALSE(whole.complete);
    EXPECT_EQ(whole.executions, 90u);
    EXPECT_EQ(whole.findings.size(), fails ? 1u : 0u);
    search(80, false);
    const jostle::Result resumed = search(0, true);
    for (const std::string& note : resumed.notes) ADD_FAILURE() << note;
    EXPECT_EQ(resumed.incomplete, whole.incomplete);
    EXPECT_EQ(resumed.executions, whole.executions);
    ASSERT_EQ(resumed.findings.size(), whole.findings.size());
    if (fails) EXPECT_EQ(resumed.findings[0].fingerprint, whole.findings[0].fingerprint);
  }
}

// Branches are put among what others plan, even while those are on disk.
TEST(Limits, MemoryOfReducedSearches) {
  const auto body = [] {
    std::mutex m[2];
    std::atomic<int> n[2] = {0, 0};
    const auto work = [&](int first) {
      for (int i = first; i < first + 3; ++i) {
        std::lock_guard guard(m[i % 2]);
        ++n[i % 2];
      }
    };
    std::thread a(work, 0), b(work, 1), c(work, 0), d(work, 1);
    for (std::thread* t : {&a, &b, &c, &d}) t->join();
  };
  jostle::Options o = quietly();
  o.name = "spills-reduced";
  o.priority = "rand";
  const jostle::Result all = jostle::check(body, o);
  o.memory = 3;
  const jostle::Result spilled = jostle::check(body, o);
  EXPECT_LT(spilled.peak_nodes, all.peak_nodes);
  for (const jostle::Result& r : {all, spilled}) {
    EXPECT_TRUE(r.complete) << r.incomplete;
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.executions, 11'512u);
  }
}

TEST(Limits, BadOptions) {
  const auto error = [](auto set) {
    jostle::Options o = quietly();
    set(o);
    return jostle::check([] {}, o).error;
  };
  EXPECT_NE(error([](auto& o) { o.priority = "pd"; }).find("there is no priority 'pd'"),
            std::string::npos);
  EXPECT_NE(error([](auto& o) { o.priority = "method(a"; }).find("a ) is missing"),
            std::string::npos);
  EXPECT_NE(error([](auto& o) { o.preemptions = "two"; }).find("a number is expected"),
            std::string::npos);
}

// The signal comes between the look and the wait, which also gives the mutex back. What follows has
// thousands of schedules that must not come first.
TEST(Findings, LostSignalComesEarly) {
  for (const char* priority : {"pb", "mdpor,pb"}) {
    jostle::Options o = quietly();
    o.priority = priority;
    o.executions = 1000;  // several times what it takes
    const jostle::Result r = jostle::check(
        [] {
          std::mutex m, other;
          std::condition_variable c;
          std::atomic<bool> ready = false;
          auto use = [&] {
            for (int i = 0; i < 6; ++i) const std::lock_guard lock(other);
          };
          std::thread a([&] {
            ready = true;
            c.notify_all();
            use();
          });
          std::thread b([&] {
            {
              std::unique_lock lock(m);
              while (!ready) c.wait(lock);
            }
            use();
          });
          use();
          a.join();
          b.join();
        },
        o);
    ASSERT_EQ(r.findings.size(), 1u) << priority;
    EXPECT_EQ(r.findings[0].kind, "deadlock");
  }
}

// A search that is cut says how much there may be besides: here 34 650 = 12! / (4!)^3.
TEST(Limits, EstimateOfTheWhole) {
  const auto body = [] {
    std::mutex m;
    const auto lock = [&] {
      for (int i = 0; i < 4; ++i) std::lock_guard guard(m);
    };
    std::thread a(lock), b(lock), c(lock);
    a.join();
    b.join();
    c.join();
  };
  for (const char* priority : {"", "rand", "pb"}) {
    jostle::Options o;
    o.quiet = true;
    o.output = testing::TempDir() + "/jostle-estimate";
    o.priority = priority;
    o.executions = 20'000;
    const jostle::Result r = jostle::check(body, o);
    EXPECT_FALSE(r.complete);
    EXPECT_GT(r.live_nodes, 0u);
    EXPECT_GE(r.estimate_spread, 1.0) << priority;
    EXPECT_GT(static_cast<double>(r.estimated) * r.estimate_spread, 34650.0) << priority;
    EXPECT_LT(static_cast<double>(r.estimated) / r.estimate_spread, 34650.0) << priority;
    ASSERT_FALSE(r.notes.empty());
    EXPECT_NE(r.notes[0].find("perhaps of"), std::string::npos) << r.notes[0];
  }
}

// A race that shows up in an execution that fails makes scheduling points, too, if the search goes
// on.
TEST(Findings, RacesOfExecutionsThatFail) {
  jostle::Options o;
  o.quiet = o.keep_going = true;
  o.output = testing::TempDir() + "/jostle-keep-going";
  const jostle::Result r = jostle::check(
      [] {
        volatile int step = 0;
        std::thread t([&] {
          step = 1;
          step = 2;
        });
        const int seen = step;
        t.join();
        if (seen == 1)
          JOSTLE_ASSERT(seen != 1);
        else
          JOSTLE_ASSERT(seen == 1);
      },
      o);
  std::set<std::string> messages;
  for (const jostle::Finding& f : r.findings)
    if (f.kind == "assertion") messages.insert(f.message);
  EXPECT_EQ(messages.size(), 2u) << r.report;
}

}  // namespace
