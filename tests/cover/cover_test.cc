// jostle::cover() as users call it.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <jostle/jostle.hpp>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "benchmarks/cover/subject.h"
#include "tests/cover/programs.h"

namespace {

jostle::Options options(const std::string& name) {
  jostle::Options o;
  o.quiet = true;
  o.memo = "none";
  o.name = name;
  o.output = testing::TempDir() + "/jostle-cover-" + name;
  return o;
}

std::set<std::string> exposed(const jostle::Result& r) {
  std::set<std::string> ids;
  for (const auto& i : r.coverage.items)
    if (i.exposed) ids.insert(i.id);
  return ids;
}

void overdraws() {
  std::mutex m;
  int balance = 10;
  const auto withdraw = [&] {
    m.lock();
    const int seen = balance;
    m.unlock();
    m.lock();
    balance = seen - 1;
    m.unlock();
  };
  std::thread a(withdraw), b(withdraw);
  a.join();
  b.join();
  if (balance != 8) throw "lost";  // ends the execution
}

TEST(Cover, FindsALostUpdateAndSaysWhatMadeItHappen) {
  const jostle::Result r = jostle::cover(overdraws, options("lost"));
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_TRUE(r.findings[0].confirmed);
  EXPECT_FALSE(r.findings[0].schedule.empty());
  EXPECT_NE(r.findings[0].report.find("Root cause: "), std::string::npos) << r.findings[0].report;
  // The schedule does it again, without cover; it is for the first run of a test.
  jostle::begin_test();
  jostle::Options o = options("lost");
  o.replay = r.findings[0].schedule;
  const jostle::Result again = jostle::run(overdraws, o);
  EXPECT_EQ(again.findings.size(), 1u) << again.report;
}

TEST(Cover, FindsADeadlock) {
  const auto body = [] {
    std::mutex m, n;
    int x = 0;
    std::thread a([&] {
      const std::lock_guard first(m);
      const std::lock_guard second(n);
      ++x;
    });
    std::thread b([&] {
      const std::lock_guard first(n);
      const std::lock_guard second(m);
      ++x;
    });
    a.join();
    b.join();
  };
  const jostle::Result r = jostle::cover(body, options("deadlock"));
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "deadlock");
}

// Answers every byte as soon as the program can do nothing but wait for it.
class Outside {
 public:
  Outside() {
    EXPECT_EQ(pipe(asked_), 0);
    EXPECT_EQ(pipe(answered_), 0);
    child_ = fork();
    if (child_ != 0) return;
    for (char c; read(asked_[0], &c, 1) == 1;) {
      while (!sleeps(getppid())) usleep(100);
      if (write(answered_[1], &c, 1) != 1) break;
    }
    _exit(0);
  }
  ~Outside() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    for (const int fd : {asked_[0], asked_[1], answered_[0], answered_[1]}) close(fd);
  }
  void ask() { EXPECT_EQ(write(asked_[1], "x", 1), 1); }
  void wait() {
    char c;
    EXPECT_EQ(read(answered_[0], &c, 1), 1);
  }

 private:
  static bool sleeps(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(in, text);
    return text.find(") S") != std::string::npos;
  }
  int asked_[2], answered_[2];
  pid_t child_;
};

// Maple's Figure 8: who executes A waits for an event from outside, and who executes B is held
// until it has come, although nobody else could go on.
TEST(Cover, Figure8WaitsForTheWorldOutside) {
  Outside world;
  const auto body = [&] {
    std::atomic<int> x{0};
    world.ask();
    std::thread a([&] {
      world.wait();
      x.store(1);
    });
    std::thread b([&] { x.load(); });
    a.join();
    b.join();
  };
  jostle::Options o = options("figure8");
  o.metric = jostle::Options::Metric::iroots;
  o.executions = 200;
  const jostle::Result r = jostle::cover(body, o);
  EXPECT_EQ(r.error, "");
  // B before A is what happens if nobody waits: the event comes only when nobody can go on any
  // more. A before B needs somebody who waits for it all the same.
  std::set<std::vector<std::string>> shown;
  for (const auto& i : r.coverage.items)
    if (i.metric == "iroot1" && i.exposed) shown.insert(i.places);
  int both_ways = 0;
  for (const auto& places : shown)
    both_ways += places[0].starts_with("read") && shown.contains({places[1], places[0]});
  EXPECT_EQ(both_ways, 1) << r.report;
}

// What came from outside in one search says nothing about the next.
TEST(Cover, ForgetsWhatWasOutsideBefore) {
  jostle::Options o = options("outside");
  o.executions = 1;
  const jostle::Result before = jostle::cover(
      [] {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        waitpid(child, nullptr, 0);
      },
      o);
  EXPECT_FALSE(before.uncontrolled.empty());
  o = options("inside");
  o.strategy = "dfs";
  const jostle::Result after = jostle::run(
      [] {
        std::atomic<int> x{0};
        std::thread t([&] { x.store(1); });
        x.load();
        t.join();
      },
      o);
  EXPECT_TRUE(after.uncontrolled.empty());
  EXPECT_TRUE(after.complete);
}

// That the report comes before the look is impossible whichever worker of a stage comes first; no
// step of the closure says so, as each would have to know what the others have decided.
TEST(Cover, NeedsTheSolver) {
  void* solver = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!solver) GTEST_SKIP() << "no libz3.so.4";
  dlclose(solver);
  const jostle_bench::CoverSubject* relay = jostle_bench::cover_subjects();
  ASSERT_TRUE(relay);
  const jostle::Result r = jostle::cover(relay->body, options("relay"));
  int decided = 0;
  for (const auto& i : r.coverage.items)
    if (i.decided_by == "z3") {
      EXPECT_FALSE(i.exposed);
      EXPECT_NE(i.infeasible, "");
      ++decided;
    }
  EXPECT_GE(decided, 1) << r.report;
}

void expect_same(const jostle::Result& a, const jostle::Result& b, std::string_view name) {
  EXPECT_EQ(a.executions, b.executions) << name;
  ASSERT_EQ(a.coverage.items.size(), b.coverage.items.size()) << name;
  for (std::size_t i = 0; i < a.coverage.items.size(); ++i) {
    EXPECT_EQ(a.coverage.items[i].id, b.coverage.items[i].id) << name;
    EXPECT_EQ(a.coverage.items[i].execution, b.coverage.items[i].execution) << name;
  }
}

// Unless what is shared lies elsewhere the second time, after what the first has left on the heap.
TEST(Cover, SameSeedSameSearch) {
  for (const auto& p : programs::all())
    if (!p.heap)
      expect_same(jostle::cover(p.body, options("seed")), jostle::cover(p.body, options("seed")),
                  p.name);
}

// Whoever makes the executions, if each starts from the same state.
TEST(Cover, SameSearchWithAnyNumberOfProcesses) {
  for (std::size_t i = 0; i < programs::all().size(); i += 3) {
    const auto& p = programs::all()[i];
    jostle::Options o = options("jobs");
    o.isolation = jostle::Options::Isolation::fork;
    o.executions = 150;
    const jostle::Result one = jostle::cover(p.body, o);
    o.jobs = 3;
    expect_same(one, jostle::cover(p.body, o), p.name);
  }
}

// The second paper's example, as a program: ten pairs are estimated, and all are covered.
TEST(Cover, TenPairsOfTheExample) {
  jostle::Options o = options("pairs");
  o.metric = jostle::Options::Metric::pairs;
  for (const bool rule3 : {true, false}) {
    o.estimates = rule3;
    const jostle::Result r = jostle::cover(programs::all()[0].body, o);
    std::size_t predicted = 0;
    for (const auto& i : r.coverage.items) predicted += i.predicted;
    EXPECT_EQ(predicted, 10u);
    EXPECT_EQ(exposed(r).size(), 10u) << r.report;
    EXPECT_TRUE(r.coverage.saturated);
    EXPECT_EQ(r.coverage.verdict,
              "No, not with this input: everything that was predicted has been executed.");
  }
}

// What an earlier run has exposed is not sought again, and what it failed at not for ever.
TEST(Cover, RemembersAcrossRuns) {
  jostle::Options o = options("memo");
  std::filesystem::remove_all(o.output);
  o.memo = "";
  const auto body = programs::all()[7].body;
  const jostle::Result first = jostle::cover(body, o);
  EXPECT_EQ(first.error, "");
  EXPECT_TRUE(std::filesystem::exists(o.output + "/memo.db"));
  EXPECT_GT(first.coverage.attempted, 0u);
  jostle::begin_test();  // else it would be another run of the test, with a name and memo of its
                         // own
  const jostle::Result second = jostle::cover(body, o);
  EXPECT_EQ(second.coverage.attempted, 0u) << second.report;
  for (const auto& i : second.coverage.items)
    EXPECT_TRUE(i.known || i.attempts > 0 || !i.infeasible.empty()) << i.id;
}

std::size_t fresh(const jostle::Result& r) {
  std::size_t n = 0;
  for (const auto& i : r.coverage.items) n += i.exposed && !i.known;
  return n;
}

// What is known is sought again if that is asked for, and is no news all the same.
TEST(Cover, Retries) {
  jostle::Options o = options("retry");
  std::filesystem::remove_all(o.output);
  o.memo = "";
  const auto body = programs::all()[7].body;
  const jostle::Result first = jostle::cover(body, o);
  for (const auto retry : {jostle::Options::Retry::rebuilt, jostle::Options::Retry::always}) {
    jostle::begin_test();
    o.retry = retry;
    const jostle::Result r = jostle::cover(body, o);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(fresh(r), 0u);
    EXPECT_NE(r.coverage.last_run, "");
    // It is the same build.
    if (retry == jostle::Options::Retry::rebuilt)
      EXPECT_EQ(r.coverage.attempted, 0u);
    else
      EXPECT_EQ(exposed(r), exposed(first));
  }
}

TEST(Cover, ComparesWithAnotherDatabase) {
  jostle::Options o = options("against");
  std::filesystem::remove_all(o.output);
  o.memo = o.output + "/all.db";
  const auto body = programs::all()[7].body;
  const jostle::Result all = jostle::cover(body, o);
  jostle::begin_test();
  o.memo = o.output + "/some.db";
  o.executions = 1;
  o.against = o.output + "/all.db";
  const jostle::Result some = jostle::cover(body, o);
  EXPECT_TRUE(some.coverage.compared);
  EXPECT_FALSE(exposed(some).empty());
  EXPECT_EQ(exposed(some).size() + some.coverage.lacking.size(), exposed(all).size());
  for (const auto& i : some.coverage.items) EXPECT_EQ(i.against, exposed(all).contains(i.id));
  EXPECT_NE(some.report.find("against the other database: 0 new, "), std::string::npos)
      << some.report;
  EXPECT_EQ(some.coverage.verdict.find("Yes: the search ended before "), 0u)
      << some.coverage.verdict;
  jostle::begin_test();
  std::swap(o.memo, o.against);
  const jostle::Result other = jostle::cover(body, o);
  EXPECT_TRUE(other.coverage.lacking.empty());
  o.against = o.output + "/none.db";
  jostle::begin_test();
  EXPECT_NE(jostle::cover(body, o).error.find("there is no memo database"), std::string::npos);
}

// Each that is left has a rank of its own; what is set aside comes last.
TEST(Cover, RanksWhatIsLeft) {
  jostle::Options o = options("rank");
  o.executions = 3;
  for (const auto& p : programs::all()) {
    const jostle::Result r = jostle::cover(p.body, o);
    std::map<std::uint32_t, const jostle::CoverageItem*> left;
    std::size_t count = 0;
    for (const auto& i : r.coverage.items) {
      EXPECT_EQ(i.rank > 0, i.predicted && !i.exposed) << i.id;
      count += i.rank > 0;
      if (i.rank > 0) left[i.rank] = &i;
    }
    EXPECT_EQ(left.size(), count);
    bool aside = false;
    for (const auto& [rank, i] : left) {
      EXPECT_FALSE(aside && i->infeasible.empty()) << i->id;
      aside |= !i->infeasible.empty();
    }
  }
}

// More accesses than a log holds, before anything is shared; and one place that mostly touches what
// is a thread's own.
[[gnu::noinline]] void increase(int& n) { ++n; }
void works_alone_for_long() {
  std::mutex m;
  int count = 0;
  const auto act = [&] {
    std::vector<int> own(64);
    for (std::size_t i = 0; i < 300'000; ++i) own[i % 64] += own[(i + 1) % 64] + 1;
    m.lock();
    increase(count);
    m.unlock();
    m.lock();
    const int seen = count;
    m.unlock();
    for (std::size_t i = 0; i < 300'000; ++i) own[i % 64] += own[(i + 1) % 64] + seen;
    for (std::size_t i = 0; i < 1000; ++i) increase(own[i % 64]);
  };
  std::thread a(act), b(act);
  a.join();
  b.join();
}
// Of "count" and of the lock, between the threads in both orders: what comes after the first half
// of a thread is after the end of a log of everything.
void expect_both_orders(const jostle::Result& r) {
  ASSERT_TRUE(r.findings.empty()) << r.report;
  EXPECT_NE(r.report.find("where other threads were seen to touch"), std::string::npos) << r.report;
  std::map<std::string, int> exposed;
  for (const auto& i : r.coverage.items) exposed[i.metric] += i.exposed;
  EXPECT_GE(exposed["iroot1"], 6) << r.report;
  EXPECT_EQ(exposed["pair"], 4) << r.report;
}

// What threads keep to themselves is left out then.
TEST(Cover, LongExecutions) {
  jostle::Options o = options("long");
  o.executions = 40;
  expect_both_orders(jostle::cover(works_alone_for_long, o));
}

// Likewise under any strategy, whether one process makes all executions or each has its own.
// It levels off with items left; what aims at nothing then goes on for as long again.
TEST(Cover, SamplesGoOnAloneAtTheEnd) {
  for (const auto& program : programs::all()) {
    if (std::string(program.name) != "after_you") continue;
    const jostle::Result r = jostle::cover(program.body, options("alone"));
    EXPECT_TRUE(r.coverage.saturated);
    EXPECT_LT(exposed(r).size(), r.coverage.items.size());
    EXPECT_GE(r.executions, 400u);
    EXPECT_GE(2 * r.coverage.profiled, r.executions);
    return;
  }
  FAIL() << "no such program";
}

TEST(Coverage, OfLongExecutions) {
  for (const auto isolation : {jostle::Options::Isolation::none, jostle::Options::Isolation::fork})
    for (const std::uint32_t jobs : {1u, 2u}) {
      jostle::Options o = options("long-any");
      o.strategy = "pos";
      o.coverage = true;
      o.isolation = isolation;
      o.jobs = jobs;
      o.executions = 40;
      expect_both_orders(jostle::run(works_alone_for_long, o));
    }
}

// Any strategy can be measured, in any process, and none exposes what the program does not have.
TEST(Coverage, OfAnyStrategy) {
  const auto& p = programs::all()[1];
  jostle::Options all = options("any");
  all.coverage = true;
  all.strategy = "dfs";
  const std::set<std::string> possible = exposed(jostle::run(p.body, all));
  ASSERT_FALSE(possible.empty());
  for (const char* strategy :
       {"portfolio", "random", "pct", "pct-large", "pos", "surw", "db", "check"})
    for (const std::uint32_t jobs : {1u, 2u}) {
      jostle::Options o = options("any");
      o.coverage = true;
      o.strategy = strategy;
      o.jobs = jobs;
      o.executions = 200;
      const jostle::Result r = jostle::run(p.body, o);
      EXPECT_TRUE(r.coverage.measured);
      for (const std::string& id : exposed(r)) EXPECT_TRUE(possible.contains(id)) << strategy << id;
      EXPECT_GT(exposed(r).size(), possible.size() / 2) << strategy << jobs;
    }
}

// Nothing is measured, and nothing slows down, unless it is asked for.
TEST(Coverage, OffByDefault) {
  const jostle::Result r = jostle::run(programs::all()[0].body, options("off"));
  EXPECT_FALSE(r.coverage.measured);
  EXPECT_TRUE(r.coverage.items.empty());
}

}  // namespace
