// Strategies that follow something: depth-first search, replay, segments.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "strategies/dfs.h"
#include "strategies/fake_program.h"
#include "strategies/random.h"
#include "strategies/replay.h"
#include "strategies/segments.h"

namespace jostle {
namespace {

using Execution = FakeProgram::Execution;

struct Searched {
  std::uint64_t executions = 0, deadlocks = 0;
  std::set<std::string> orders;
  std::string first;
};

Searched search(FakeProgram& p) {
  Dfs dfs;
  Searched out;
  Plan plan;
  do {
    const Execution e = p.run(dfs, plan);
    if (plan.index++ == 0) out.first = e.text();
    ++out.executions;
    out.deadlocks += e.deadlock;
    out.orders.insert(e.text());
  } while (dfs.advance());
  return out;
}

std::uint64_t search_lengths(const std::vector<int>& lengths) {
  auto p = FakeProgram::of_lengths(lengths);
  const Searched s = search(p);
  EXPECT_EQ(s.orders.size(), s.executions) << "no schedule twice";
  return s.executions;
}

TEST(Dfs, CountsOfIndependentThreads) {
  EXPECT_EQ(search_lengths({5}), 1u);
  EXPECT_EQ(search_lengths({1, 1}), 2u);
  EXPECT_EQ(search_lengths({2, 2}), 6u);  // C(2k, k)
  EXPECT_EQ(search_lengths({3, 3}), 20u);
  EXPECT_EQ(search_lengths({5, 5}), 252u);
  EXPECT_EQ(search_lengths({8, 8}), 12'870u);
  EXPECT_EQ(search_lengths({1, 1, 1, 1}), 24u);  // n!
  EXPECT_EQ(search_lengths({2, 2, 2}), 90u);
  EXPECT_EQ(search_lengths({3, 3, 3}), 1680u);
  EXPECT_EQ(search_lengths({2, 2, 2, 2}), 2520u);
  EXPECT_EQ(search_lengths({1, 7}), 8u);
}

// k critical sections each: while one is open the other thread can only be blocked.
TEST(Dfs, CountsOfCriticalSections) {
  for (const auto& [k, expected] : {std::pair{1, 2u}, {2, 6u}, {3, 20u}}) {
    std::vector<FakeStep> code;
    for (int i = 0; i < k; ++i) {
      code.push_back({EventKind::mutex_lock, 8});
      code.push_back({EventKind::mutex_unlock, 8});
    }
    FakeProgram p({code, code});
    EXPECT_EQ(search(p).executions, expected) << k;
  }
}

TEST(Dfs, FindsTheDeadlocks) {
  FakeProgram p({{{EventKind::mutex_lock, 8},
                  {EventKind::mutex_lock, 16},
                  {EventKind::mutex_unlock, 16},
                  {EventKind::mutex_unlock, 8}},
                 {{EventKind::mutex_lock, 16},
                  {EventKind::mutex_lock, 8},
                  {EventKind::mutex_unlock, 8},
                  {EventKind::mutex_unlock, 16}}});
  const Searched s = search(p);
  EXPECT_EQ(s.deadlocks, 2u);  // A B and B A
  EXPECT_GT(s.executions, 2u);
}

TEST(Dfs, StartsWithTheDefaultSchedule) {
  auto p = FakeProgram::of_lengths({2, 2, 2});
  EXPECT_EQ(search(p).first, "AABBCC");
}

TEST(Dfs, IndexZeroStartsAgain) {
  auto p = FakeProgram::of_lengths({2, 2});
  Dfs dfs;
  Plan plan;
  const std::string first = p.run(dfs, plan).text();
  ASSERT_TRUE(dfs.advance());
  plan.index = 1;
  EXPECT_NE(p.run(dfs, plan).text(), first);
  plan.index = 0;
  EXPECT_EQ(p.run(dfs, plan).text(), first);
}

// Other choices are part of the tree: 3 * 2 answers.
TEST(Dfs, EnumeratesOtherChoices) {
  Dfs dfs;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  Plan plan;
  const View view;
  do {
    dfs.begin(plan, {});
    plan.index = 1;
    const std::uint32_t a = dfs.choose(ChoiceKind::waiter, 3, view);
    seen.insert({a, dfs.choose(ChoiceKind::weak_cas, 2, view)});
  } while (dfs.advance());
  EXPECT_EQ(seen.size(), 6u);
}

// An execution shorter than its predecessor: the rest of the old path is forgotten.
TEST(Dfs, PathsOfDifferentLength) {
  Dfs dfs;
  Plan plan;
  const View view;
  int executions = 0;
  do {
    dfs.begin(plan, {});
    plan.index = 1;
    if (dfs.choose(ChoiceKind::waiter, 2, view) == 0)
      for (int i = 0; i < 3; ++i) dfs.choose(ChoiceKind::waiter, 2, view);
    ++executions;
  } while (dfs.advance());
  EXPECT_EQ(executions, 8 + 1);
}

// --- replay ------------------------------------------------------------------------------------

Plan plan_of(std::uint64_t seed) {
  Plan p;
  p.seed = seed;
  return p;
}

TEST(Replay, FollowsWhatWasRecorded) {
  FakeProgram p({{{EventKind::thread_create, 0, 1},
                  {EventKind::mutex_lock, 8},
                  {},
                  {EventKind::mutex_unlock, 8}},
                 {{EventKind::mutex_lock, 8}, {}, {EventKind::mutex_unlock, 8}},
                 {{}, {}, {}}});
  Random random;
  Replay replay;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Execution e = p.run(random, plan_of(seed));
    auto d = e.deviations();
    replay.follow(d.data(), d.size());
    EXPECT_EQ(p.run(replay, {}).text(), e.text());
    EXPECT_FALSE(replay.diverged());
    EXPECT_EQ(replay.left(), 0u);
    // The same, with threads named by their path of creation.
    for (Deviation& x : d)
      x.path = x.choice == 0 ? kMainPath
                             : path_of_child(kMainPath, static_cast<std::uint16_t>(x.choice - 1));
    for (Deviation& x : d) x.choice = 77;
    replay.follow(d.data(), d.size());
    EXPECT_EQ(p.run(replay, {}).text(), e.text());
    EXPECT_FALSE(replay.diverged());
  }
}

TEST(Replay, NothingToFollowIsTheDefaultSchedule) {
  auto p = FakeProgram::of_lengths({2, 2, 2});
  Replay replay;
  replay.follow(nullptr, 0);
  EXPECT_EQ(p.run(replay, {}).text(), "AABBCC");
}

TEST(Replay, ReportsWhereItCouldNotFollow) {
  auto p = FakeProgram::of_lengths({2, 2, 2});
  Replay replay;
  const Deviation finished[] = {{4, 0, ChoiceKind::thread, 0}};  // thread 0 has ended by then
  replay.follow(finished, 1);
  EXPECT_EQ(p.run(replay, {}).order.size(), 6u);
  EXPECT_FALSE(replay.diverged()) << "five decisions would be needed";
  EXPECT_EQ(replay.left(), 1u);

  const Deviation early[] = {
      {1, 2, ChoiceKind::thread, 0}, {2, 2, ChoiceKind::thread, 0}, {3, 2, ChoiceKind::thread, 0}};
  replay.follow(early, 3);
  const Execution e = p.run(replay, {});
  EXPECT_EQ(e.text(), "ACCABB");
  EXPECT_TRUE(replay.diverged());
  EXPECT_EQ(replay.diverged_at(), 3u);
  EXPECT_STREQ(replay.reason(), "the thread to run cannot run here");

  const Deviation nobody[] = {{0, 9, ChoiceKind::thread, 0}};
  replay.follow(nobody, 1);
  p.run(replay, {});
  EXPECT_TRUE(replay.diverged());
  EXPECT_EQ(replay.diverged_at(), 0u);
  EXPECT_STREQ(replay.reason(), "the thread to run does not exist yet");

  const Deviation other_kind[] = {{0, 1, ChoiceKind::waiter, 0}};
  replay.follow(other_kind, 1);
  p.run(replay, {});
  EXPECT_TRUE(replay.diverged());

  replay.follow(nullptr, 0);
  p.run(replay, {});
  EXPECT_FALSE(replay.diverged()) << "forgotten with the next execution";
}

TEST(Replay, AnswersOtherChoices) {
  Replay replay;
  const Deviation d[] = {{1, 2, ChoiceKind::waiter, 0}};
  replay.follow(d, 1);
  replay.begin({}, {});
  View view;
  view.decision = 0;
  EXPECT_EQ(replay.choose(ChoiceKind::waiter, 3, view), 0u);
  view.decision = 1;
  EXPECT_EQ(replay.choose(ChoiceKind::waiter, 3, view), 2u);
  replay.begin({}, {});
  EXPECT_EQ(replay.choose(ChoiceKind::waiter, 2, view), 0u) << "there are only two now";
  EXPECT_TRUE(replay.diverged());
}

// --- segments ----------------------------------------------------------------------------------

std::string follow(FakeProgram& p, const std::vector<Segment>& segments) {
  Segments s;
  s.follow(segments.data(), segments.size());
  return p.run(s, {}).text();
}

TEST(Segments, FollowsTheItinerary) {
  auto p = FakeProgram::of_lengths({4, 4});
  EXPECT_EQ(follow(p, {{0, 2}, {1, 3}, {0, 1}}), "AABBBAAB");
  EXPECT_EQ(follow(p, {}), "AAAABBBB");
  EXPECT_EQ(follow(p, {{1, 4}}), "BBBBAAAA");
}

TEST(Segments, GoesOnWhereAThreadCannot) {
  // B waits for the lock that A holds: its segment ends early, the next one takes over.
  FakeProgram p({{{EventKind::mutex_lock, 8}, {}, {EventKind::mutex_unlock, 8}, {}},
                 {{}, {EventKind::mutex_lock, 8}, {}}});
  EXPECT_EQ(follow(p, {{0, 1}, {1, 3}, {0, 2}, {1, 1}}), "ABAABBA");
  auto three = FakeProgram::of_lengths({1, 2, 1});
  EXPECT_EQ(follow(three, {{1, 9}, {2, 1}}), "BBCA") << "a thread that ends, ends its segment";
  EXPECT_EQ(follow(three, {{7, 1}, {2, 1}}), "CABB") << "a thread that does not exist";
}

TEST(Segments, AnswersChoicesInOrder) {
  Segments s;
  const Deviation d[] = {{0, 1, ChoiceKind::waiter, 0},
                         {0, 5, ChoiceKind::waiter, 0},
                         {0, 1, ChoiceKind::weak_cas, 0}};
  s.follow(nullptr, 0);
  s.answer(d, 3);
  s.begin({}, {});
  const View view;
  EXPECT_EQ(s.choose(ChoiceKind::waiter, 3, view), 1u);
  EXPECT_EQ(s.choose(ChoiceKind::waiter, 3, view), 0u) << "5 of 3: the unremarkable one";
  EXPECT_EQ(s.choose(ChoiceKind::weak_cas, 2, view), 1u);
  EXPECT_EQ(s.choose(ChoiceKind::waiter, 3, view), 0u) << "no more answers";
}

// --- the default schedule, racing ----------------------------------------------------------------

TEST(StandardChoice, RunningThenFirstThenNextAfterAYield) {
  ThreadSet enabled;
  enabled.reset();
  for (const ThreadId t : {1, 2, 4}) enabled.add(t);
  View v;
  v.candidates = &enabled;
  v.running = 2;
  EXPECT_EQ(standard_choice(v), 2);
  v.running = 3;
  EXPECT_EQ(standard_choice(v), 1);
  v.running = v.yielding = 2;
  EXPECT_EQ(standard_choice(v), 4);
  v.running = v.yielding = 4;
  EXPECT_EQ(standard_choice(v), 1) << "in a circle";
}

TEST(Racing, NeedsOverlapAndAWrite) {
  auto op = [](EventKind k, Address a, std::uint16_t size) {
    return Op{k, 0, size, GateMark::fresh, 0, a};
  };
  const Op read = op(EventKind::read, 100, 4), write = op(EventKind::write, 100, 4);
  EXPECT_TRUE(racing(read, write));
  EXPECT_TRUE(racing(write, write));
  EXPECT_FALSE(racing(read, read));
  EXPECT_TRUE(racing(write, op(EventKind::read, 103, 1)));
  EXPECT_FALSE(racing(write, op(EventKind::read, 104, 4)));
  EXPECT_TRUE(racing(op(EventKind::mutex_lock, 8, 0), op(EventKind::mutex_unlock, 8, 0)));
  EXPECT_FALSE(racing(op(EventKind::point, 0, 0), op(EventKind::write, 0, 0)))
      << "no address, no race";
}

}  // namespace
}  // namespace jostle
