// What select, release, choose and the predicates mean: Figures 5 and 6 of the CONCURRIT paper,
// with numbers of schedules that are known from elsewhere.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <jostle/script.hpp>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

using namespace jostle::scripting;

namespace {

const jostle::Options kQuiet = {.races = false, .minimize = false, .quiet = true};

int shared_x, shared_y;
std::array<int, 8> cells;
std::mutex g_lock;  // Jostle has a variable of that name, too
namespace inner {
int shared_x;
}

[[gnu::noinline]] void put(int value) { shared_x = value; }
[[gnu::noinline]] int fetch() { return shared_x; }
template <class T>
[[gnu::noinline]] void put_as(T value) {
  shared_y = static_cast<int>(value);
}

// `threads` threads that write `writes_each` times.
void writers(int threads, int writes_each) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([=] {
      for (int i = 0; i < writes_each; ++i) put(t);
    });
  for (std::thread& t : all) t.join();
}

std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  std::uint64_t r = 1;
  for (std::uint64_t i = 1; i <= k; ++i) r = r * (n - k + i) / i;
  return r;
}

TEST(Semantics, AReleasedThreadStopsBeforeItsNextEvent) {
  std::vector<std::string> seen;
  const jostle::Result r = jostle::script(
      [] {
        std::thread t([] {
          shared_x = 1;
          shared_y = 2;
        });
        t.join();
      },
      [&] {
        const Tid t = select(any, starts).thread;
        EXPECT_EQ(select(t).kind(), select(t).kind());  // not released: the same event
        run_until(t, writes(&shared_x));
        EXPECT_EQ(pending(t).address, reinterpret_cast<std::uint64_t>(&shared_x));
        release(t);
        const Event next = select(t);
        EXPECT_EQ(next.address, reinterpret_cast<std::uint64_t>(&shared_y));
        EXPECT_EQ(shared_x, 1);
        EXPECT_EQ(shared_y, 0);
        seen.push_back(next.text());
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_NE(seen[0].find("write `(anonymous namespace)::shared_y`"), std::string::npos) << seen[0];
  EXPECT_NE(seen[0].find("semantics_test.cc"), std::string::npos) << seen[0];
}

// The paper's InterleaveTwoThreads, with select and release alone.
TEST(Semantics, InterleaveTwoThreads) {
  const jostle::Result r = jostle::script([] { writers(2, 2); },
                                          [] {
                                            const Tid a = select(any, starts).thread;
                                            const Tid b = select(any - a, starts).thread;
                                            while (!has_ended(a) || !has_ended(b)) {
                                              const Tid t = choose_thread(a + b);
                                              const auto more = [&] {
                                                release(t);
                                                const Event e = select(t);
                                                return !writes(e) && !ends(e);
                                              };
                                              while (more()) {
                                              }
                                            }
                                          },
                                          kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.executions, binomial(6, 3));
}

// Against all permutations: each order of the writes, and nothing else.
TEST(Semantics, ChoicesGiveAllInterleavings) {
  for (const int writes_each : {1, 2, 3}) {
    static std::string order;
    std::multiset<std::string> seen;
    const jostle::Result r = jostle::script(
        [&] {
          order.clear();
          writers(2, writes_each);
        },
        [&] {
          const auto [a, b] = wait_for_distinct_threads<2>(starts);
          while (!has_ended(a) || !has_ended(b)) {
            const Tid t = choose_thread(a + b);
            if (writes(pending(t))) order += t == a ? 'a' : 'b';
            run_until(t, writes(&shared_x) || ends);
          }
          seen.insert(order);
        },
        kQuiet);
    EXPECT_TRUE(r.ok()) << r.report;
    // Each thread is run writes_each + 1 times.
    const auto n = static_cast<std::uint64_t>(writes_each);
    EXPECT_EQ(r.executions, binomial(2 * n + 2, n + 1));
    std::set<std::string> expected;
    std::string s = std::string(n, 'a') + std::string(n, 'b');
    do expected.insert(s);
    while (std::next_permutation(s.begin(), s.end()));
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), expected);
  }
}

TEST(Semantics, ThreeThreads) {
  const jostle::Result r = jostle::script(
      [] { writers(3, 1); },
      [] { search({.threads = 3, .start = starts, .schedule_at = writes(&shared_x) || ends}); },
      kQuiet);
  EXPECT_TRUE(r.complete) << r.report;
  EXPECT_EQ(r.executions, 90u);  // 6! / (2! 2! 2!)
}

TEST(Semantics, AContextBoundLeavesOutTheRest) {
  std::uint64_t counts[4] = {};
  for (const unsigned bound : {1u, 2u, 3u}) {
    const jostle::Result r = jostle::script([] { writers(2, 2); },
                                            [&] {
                                              search({.threads = 2,
                                                      .start = starts,
                                                      .schedule_at = writes(&shared_x) || ends,
                                                      .context_bound = bound});
                                            },
                                            kQuiet);
    EXPECT_TRUE(r.complete) << r.report;
    counts[bound] = r.executions;
  }
  // One context: which thread, and 1, 2 or 3 of its stretches.
  EXPECT_EQ(counts[1], 6u);
  EXPECT_GT(counts[2], counts[1]);
  EXPECT_GT(counts[3], counts[2]);
}

// A thread that has to wait is not chosen, and nothing is explored in vain.
TEST(Semantics, ASearchGoesOnWhereThreadsHaveToWait) {
  static std::mutex m;
  const jostle::Result r = jostle::script(
      [] {
        std::unique_lock l(m);
        std::thread a([] { const std::lock_guard lock(m); }),
            b([] { const std::lock_guard lock(m); });
        l.unlock();
        a.join();
        b.join();
      },
      [] { search({.threads = 2, .start = starts, .schedule_at = locks || unlocks || ends}); },
      kQuiet);
  EXPECT_TRUE(r.complete) << r.report;
  EXPECT_EQ(r.unsatisfied, 0u) << r.report;
  // Who starts first; both wait for the body; who gets the lock first: then the other has to wait.
  EXPECT_EQ(r.executions, 4u);
}

TEST(Semantics, OthersCanStandStill) {
  for (const bool blocked : {false, true}) {
    const jostle::Result r = jostle::script(
        [] {
          shared_x = shared_y = 0;
          std::thread a([] { put(1); }), b([] { shared_y = 1; });
          a.join();
          b.join();
        },
        [&] {
          const Tid a = wait_for_thread(any, enters("put"));
          if (blocked) others(Others::blocked);
          run_until(a, ends);
          EXPECT_EQ(shared_x, 1);
          EXPECT_EQ(shared_y, 0);  // a goes first while the script waits for it
          others(Others::free);
          wait_for_thread(any, test_ends);
          EXPECT_EQ(shared_y, 1);
        },
        kQuiet);
    EXPECT_TRUE(r.ok()) << r.report;
    EXPECT_EQ(r.executions, 1u);
  }
}

TEST(Semantics, OthersCanBeSearched) {
  std::set<int> ends_with;
  static std::atomic<int> last;
  jostle::Options o = kQuiet;
  o.preempt = jostle::Options::Preempt::sync;
  const jostle::Result r = jostle::script(
      [&] {
        std::thread a([] { last = 1; }), b([] { last = 2; });
        a.join();
        b.join();
        ends_with.insert(last);
      },
      [] {
        others(Others::searched);
        wait_for_thread(any, test_ends);
      },
      o);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(ends_with, (std::set<int>{1, 2}));
}

TEST(Semantics, OthersCanFollowAStrategy) {
  const jostle::Result r = jostle::script([] { writers(3, 3); },
                                          [] {
                                            others("random");
                                            wait_for_thread(any, test_ends);
                                          },
                                          *random(1, 20), kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.executions, 20u);
  EXPECT_FALSE(r.complete);
}

TEST(Semantics, WhatCannotHappenEndsOnlyThatExecution) {
  const jostle::Result r = jostle::script([] { writers(1, 1); },
                                          [] {
                                            const Tid t = wait_for_thread(any, starts);
                                            if (choose(true, false)) run_until(t, reads(&cells));
                                          },
                                          kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.executions, 2u);
  EXPECT_EQ(r.unsatisfied, 1u);
  EXPECT_NE(r.report.find("1 of 2 executions ended before the script did"), std::string::npos)
      << r.report;
}

TEST(Semantics, AThreadThatWaitsForAHeldOneEndsTheExecutionAtOnce) {
  static std::mutex m;
  const jostle::Result r = jostle::script(
      [] {
        std::thread a([] { const std::lock_guard l(m); }), b([] { const std::lock_guard l(m); });
        a.join();
        b.join();
      },
      [] {
        const auto [a, b] = wait_for_distinct_threads<2>(starts);
        run_until(a, unlocks(&m));
        run_until(b, ends);
      },
      kQuiet);
  EXPECT_TRUE(r.findings.empty()) << r.report;
  EXPECT_EQ(r.unsatisfied, 1u);
  EXPECT_NE(r.error.find("T1 is held by the script before: unlock"), std::string::npos) << r.error;
  EXPECT_NE(r.error.find("T2 has to wait: lock"), std::string::npos) << r.error;
}

TEST(Semantics, ASpinningThreadWaitsForAHeldOne) {
  static volatile bool flag;
  const jostle::Result r = jostle::script(
      [] {
        flag = false;
        std::thread a([] { flag = true; });
        std::thread b([] {
          while (!flag) {
          }
        });
        a.join();
        b.join();
      },
      [] {
        const auto [a, b] = wait_for_distinct_threads<2>(starts);
        run_until(a, writes(&flag));
        run_until(b, ends);
      },
      kQuiet);
  EXPECT_TRUE(r.findings.empty()) << r.report;
  EXPECT_EQ(r.unsatisfied, 1u);
}

// However often a thread tries in vain: that is for the script to say.
TEST(Semantics, AThreadMayTryAsOftenAsTheScriptWants) {
  const jostle::Result r = jostle::script(
      [] {
        std::mutex own, other;
        int failed = 0;
        std::thread t([&] {
          std::lock_guard guard(other);
          JOSTLE_POINT("has it");
        });
        for (;;) {
          std::lock_guard guard(own);
          JOSTLE_POINT("tries");
          if (other.try_lock()) break;
          ++failed;
        }
        other.unlock();
        t.join();
        JOSTLE_ASSERT(failed != 6);
      },
      [] {
        const Tid tries = wait_for_thread(Tid(0), at_point("tries"));
        const Tid has = wait_for_thread(any - tries, at_point("has it"));
        for (int i = 0; i < 6; ++i) run_until(tries, at_point("tries"));
        run_until(has, ends);
        let_go(tries);
      },
      kQuiet);
  EXPECT_EQ(r.error, "");
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

TEST(Semantics, ACompleteNameIsNobodyElses) {
  const jostle::Result r = jostle::script(
      [] {
        inner::shared_x = 1;
        shared_x = inner::shared_x;
        std::lock_guard guard(g_lock);
      },
      [] {
        EXPECT_EQ(select(any, writes("inner::shared_x")).address,
                  reinterpret_cast<std::uint64_t>(&inner::shared_x));
        release(Tid(0));
        EXPECT_EQ(select(any, locks("g_lock")).address, reinterpret_cast<std::uint64_t>(&g_lock));
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
}

TEST(Semantics, EventsOfAllKinds) {
  static std::mutex m;
  static std::condition_variable cv;
  static bool ready;
  std::vector<std::string> met;
  const jostle::Result r = jostle::script(
      [] {
        ready = false;
        std::thread t([] {
          put(3);
          put_as(4L);
          put_as(4.0);
          cells[5] = fetch();
          JOSTLE_POINT(42);
          JOSTLE_POINT("half way");
          std::unique_lock l(m);
          while (!ready) cv.wait(l);
        });
        std::unique_lock l(m);
        ready = true;
        l.unlock();
        cv.notify_one();
        t.join();
      },
      [&] {
        const Tid t = wait_for_thread(any, starts);
        const auto expect = [&](const char* name, const Predicate& p) {
          run_until(t, p);
          met.push_back(name);
        };
        expect("enters, by pointer", enters(&put));
        EXPECT_TRUE(in_function(t, "put"));
        expect("writes, by name", writes("shared_x"));
        expect("returns", returns("put"));
        EXPECT_EQ(shared_x, 3);
        EXPECT_TRUE(in_function(t, "put"));
        expect("calls a template, by signature", calls("put_as<double>(double)"));
        EXPECT_FALSE(in_function(t, "put"));
        EXPECT_EQ(shared_y, 4);
        expect("by regular expression", enters("/fe.ch/"));
        expect("in function", in_function("fetch") && reads);
        EXPECT_EQ(pending(t).value(), 3u);
        expect("range", writes(range(&cells[4], 2 * sizeof(int))));
        expect("point", at_point(42));
        expect("named point", at_point("half way"));
        expect("lock", locks(&m));
        expect("user's own", [](const Event& e) { return e.size == sizeof(bool) && reads(e); });
        expect("wait", !reads && waits(&cv));
        release(t);
        wait_for_thread(any - t, unlocks(&m));
        let_go(any);
        wait_for_thread(any - t, signals(&cv));
        let_go(any);
        wait_for_thread(any, test_ends);
        met.push_back("end");
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(met.size(), 13u) << met.back();
}

TEST(Semantics, LinesAndTimes) {
  static volatile int n;
  unsigned line = 0;
  const jostle::Result r = jostle::script(
      [&] {
        n = 0;
        std::thread t([&] {
          for (int i = 0; i < 5; ++i) {
            line = __LINE__ + 1;
            n = n + 1;
          }
        });
        t.join();
      },
      [&] {
        const Tid body = wait_for_thread(any, creates);
        EXPECT_EQ(body, Tid(0));
        let_go(body);
        const Tid t = wait_for_thread(Tid(1), starts);
        run_until(t, writes(&n));
        EXPECT_EQ(pending(t).line(), line);
        run_until(t, times(3, writes && at_line("semantics_test.cc", line)));
        EXPECT_EQ(n, 3);
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
}

TEST(Semantics, OraclesGiveTheSameSchedulesInOtherOrders) {
  for (const auto& oracle : {depth_first(), breadth_first(), best_first({}),
                             best_first({[](const Branch& b) { return b.chosen; }})}) {
    std::set<std::vector<int>> paths;
    const jostle::Result r = jostle::script([] { writers(1, 1); },
                                            [&] {
                                              std::vector<int> path;
                                              for (int i = 0; i < 3; ++i)
                                                path.push_back(choose(0, 1, 2));
                                              if (choose(false, true)) path.push_back(choose(7, 8));
                                              paths.insert(path);
                                            },
                                            *oracle, kQuiet);
    EXPECT_EQ(r.executions, 27u * 3);
    EXPECT_EQ(paths.size(), 27u * 3);
    EXPECT_TRUE(r.complete);
  }
  std::vector<int> got;
  const auto three = [&] {
    got.clear();
    for (int i = 0; i < 3; ++i) got.push_back(choose(0, 1, 2));
  };
  jostle::script([] { writers(1, 1); }, three, *replay({2, 0, 1}), kQuiet);
  EXPECT_EQ(got, (std::vector<int>{2, 0, 1}));

  struct Last final : Oracle {
    std::uint32_t choose(std::uint32_t n) override { return n - 1; }
    bool restart() override { return ++made < 3; }
    int made = 0;
  } last;
  const jostle::Result r = jostle::script([] { writers(1, 1); }, three, last, kQuiet);
  EXPECT_EQ(got, (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(r.executions, 3u);
}

TEST(Semantics, BreadthFirstVariesEarlyChoicesFirst) {
  std::vector<std::string> order;
  jostle::script([] { writers(1, 1); },
                 [&] {
                   std::string s;
                   for (int i = 0; i < 2; ++i) s += choose('a', 'b');
                   order.push_back(s);
                 },
                 *breadth_first(), kQuiet);
  EXPECT_EQ(order, (std::vector<std::string>{"aa", "ba", "ab", "bb"}));
}

// Two threads with two steps each: the executions come in the order of their preemptions.
TEST(Semantics, BestFirstByPreemptions) {
  std::vector<int> preemptions;
  std::vector<std::string> schedules;
  const auto script = [&] {
    const auto [a, b] = wait_for_distinct_threads<2>(starts);
    std::string s;
    int changes = 0;
    Tid last;
    while (!has_ended(a) || !has_ended(b)) {
      const Tid t = choose_thread(a + b);
      if (!s.empty() && t != last && !has_ended(last)) ++changes;
      last = t;
      s += t == a ? 'a' : 'b';
      run_until(t, writes || ends);
    }
    preemptions.push_back(changes);
    schedules.push_back(s);
  };
  const jostle::Result r =
      jostle::script([] { writers(2, 1); }, script, *best_first({fewer_preemptions}), kQuiet);
  EXPECT_TRUE(r.complete) << r.report;
  EXPECT_TRUE(std::is_sorted(preemptions.begin(), preemptions.end()));
  EXPECT_EQ(preemptions.front(), 0);
  EXPECT_GT(preemptions.back(), 1);
  const jostle::Result all = jostle::script([] { writers(2, 1); }, script, kQuiet);
  EXPECT_EQ(r.executions, all.executions);
  EXPECT_EQ(std::set(schedules.begin(), schedules.end()).size(), r.executions);
}

TEST(Semantics, BestFirstByEvents) {
  std::vector<Tid> first;
  const auto script = [&] {
    const auto [a, b, c] = wait_for_distinct_threads<3>(starts);
    first.push_back(choose_thread(a + b + c));
  };
  const Cost third_first = before([](const Event& e) { return e.thread == Tid(3); });
  jostle::script([] { writers(3, 1); }, script, *best_first({third_first}), kQuiet);
  EXPECT_EQ(first, (std::vector{Tid(3), Tid(2), Tid(1)}));
}

// Changes between two writes are the cheapest, then those next to one.
TEST(Semantics, BestFirstBetween) {
  bool first = false, second = false;  // is the thread before a write?
  std::set<std::tuple<bool, bool, unsigned>> seen;
  const auto script = [&] {
    const auto [a, b] = wait_for_distinct_threads<2>(starts);
    first = choose(true, false);
    second = choose(true, false);
    if (first) run_until(a, writes);
    if (second) run_until(b, writes);
    if (choose_thread(a + b) == a) choose_thread(a + b);
  };
  const Cost cost = [&](const Branch& b) {
    const unsigned c = between(writes)(b);
    if (b.interrupted) seen.emplace(first, second, c);
    return c;
  };
  jostle::script([] { writers(2, 1); }, script, *best_first({cost}), kQuiet);
  const std::set<std::tuple<bool, bool, unsigned>> expected = {
      {true, true, 0}, {true, false, 1}, {false, true, 1}, {false, false, 2}};
  EXPECT_EQ(seen, expected);
}

TEST(Semantics, BestFirstInRandomOrder) {
  const auto order = [](std::uint64_t seed) {
    std::vector<int> chosen;
    const jostle::Result r =
        jostle::script([] { writers(1, 1); }, [&] { chosen.push_back(choose(0, 1, 2, 3, 4, 5)); },
                       *best_first({in_random_order(seed)}), kQuiet);
    EXPECT_TRUE(r.complete);
    return chosen;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  auto all = order(1);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST(Semantics, NondeterminismIsToleratedAndCounted) {
  int execution = 0;
  const jostle::Result r = jostle::script([] { writers(1, 1); },
                                          [&] {
                                            ++execution;
                                            choose(1, 2);
                                            if (execution % 2)
                                              choose(1, 2, 3);
                                            else
                                              choose(1, 2);
                                          },
                                          kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_GT(r.strayed, 0u);
  EXPECT_FALSE(r.complete);
  EXPECT_NE(r.report.find("does not do the same each time"), std::string::npos) << r.report;
}

TEST(Semantics, AFindingIsAFindingLikeEveryOther) {
  static std::mutex m1, m2;
  const auto body = [] {
    std::thread a([] {
      const std::lock_guard l1(m1);
      const std::lock_guard l2(m2);
    });
    std::thread b([] {
      const std::lock_guard l2(m2);
      const std::lock_guard l1(m1);
    });
    a.join();
    b.join();
  };
  jostle::Options o = {.name = "Semantics.Crossed", .output = testing::TempDir() + "crossed"};
  o.quiet = true;
  const jostle::Result r = jostle::script(
      body,
      [] {
        const auto [a, b] = wait_for_distinct_threads<2>(starts);
        run_until(a, locks(&m2));
        run_until(b, locks(&m1));
      },
      o);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "deadlock");
  EXPECT_TRUE(r.findings[0].confirmed);
  ASSERT_FALSE(r.findings[0].schedule.empty()) << r.report;
  // The file needs no script.
  jostle::begin_test();
  o.replay = r.findings[0].schedule;
  const jostle::Result again = jostle::run(body, o);
  ASSERT_EQ(again.findings.size(), 1u) << again.report;
  EXPECT_EQ(again.findings[0].kind, "deadlock");
  EXPECT_NE(again.report.find("(exact)"), std::string::npos) << again.report;
}

TEST(Semantics, RacesAreFoundToo) {
  jostle::Options o = kQuiet;
  o.races = true;
  const jostle::Result r = jostle::script([] { writers(2, 1); }, [] { search_all(2); }, o);
  ASSERT_FALSE(r.findings.empty());
  EXPECT_EQ(r.findings[0].kind, "race");
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

TEST(Semantics, AScriptIsLeftWithItsDestructorsRun) {
  int alive = 0;
  struct Counted {
    int& n;
    explicit Counted(int& c) : n(c) { ++n; }
    ~Counted() { --n; }
  };
  const jostle::Result r = jostle::script([] { writers(1, 1); },
                                          [&] {
                                            const Counted c(alive);
                                            wait_for_thread(any, reads(&cells));
                                          },
                                          kQuiet);
  EXPECT_FALSE(r.error.empty());
  EXPECT_EQ(alive, 0);
}

}  // namespace
