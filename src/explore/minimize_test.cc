#include "explore/minimize.h"

#include <gtest/gtest.h>

#include <csignal>

#include "explore/fake_executor.h"
#include "explore/rounds.h"
#include "strategies/random.h"

namespace jostle::explore {
namespace {

Problem failure(FindingKind kind, const char* file = "", std::uint32_t line = 0,
                std::uint64_t pc = 0) {
  Problem p;
  p.kind = kind;
  p.place.pc = pc;
  p.line = line;
  std::snprintf(p.file, sizeof p.file, "%s", file);
  return p;
}

TEST(SameFailure, KindAndPlace) {
  const auto at = [](std::uint64_t pc) { return failure(FindingKind::crash, "", 0, pc); };
  EXPECT_TRUE(same_failure(at(1), at(1)));
  EXPECT_FALSE(same_failure(at(1), at(2)));
  EXPECT_FALSE(same_failure(at(1), failure(FindingKind::exception, "", 0, 1)));
  // Where the program names a place, that counts.
  const auto line = [](const char* f, std::uint32_t n, std::uint64_t pc) {
    return failure(FindingKind::assertion, f, n, pc);
  };
  EXPECT_TRUE(same_failure(line("a.cc", 3, 1), line("a.cc", 3, 2)));
  EXPECT_FALSE(same_failure(line("a.cc", 3, 1), line("a.cc", 4, 1)));
  EXPECT_FALSE(same_failure(line("a.cc", 3, 1), line("b.cc", 3, 1)));
  // Any instruction of a recursion may meet the end of the stack.
  Problem one = at(1), two = at(2);
  std::snprintf(one.message, sizeof one.message, "segmentation fault (SIGSEGV): stack overflow");
  EXPECT_FALSE(same_failure(one, two));
  std::snprintf(two.message, sizeof two.message, "bus error (SIGBUS): stack overflow");
  EXPECT_TRUE(same_failure(one, two));
  std::snprintf(two.message, sizeof two.message, "killed by signal 11 (Segmentation fault)");
  EXPECT_FALSE(same_failure(one, two));
  two.code = SIGSEGV;
  EXPECT_TRUE(same_failure(one, two));
  EXPECT_FALSE(same_failure(two, at(1)));
  // Where a thread is stuck depends on who came first.
  EXPECT_TRUE(same_failure(failure(FindingKind::deadlock, "", 0, 1),
                           failure(FindingKind::deadlock, "", 0, 2)));
}

// Fails unless T1 goes on where T0's time could be up.
class TimedWait final : public Executor {
 public:
  Assignment& assignment() override { return *assignment_; }
  pid_t pid() const override { return -1; }
  Fresh run() override {
    ++runs;
    const Deviation& d = assignment_->deviations[0];
    const bool signalled = assignment_->deviation_count == 1 && d.decision == 1 && d.choice == 1;
    Fresh f;
    f.ended = true;
    f.trace = trace(needed && signalled ? FindingKind::none : FindingKind::assertion);
    return f;
  }
  static Trace trace(FindingKind kind) {
    Trace t;
    t.decisions.resize(3);
    t.decisions[1].event = 4;
    t.events.resize(6);
    t.events[4].kind = EventKind::timeout;
    t.events[4].decision = 2;
    t.events[4].other = 1;
    t.outcome.failure = failure(kind, "a.cc", 3);
    return t;
  }

  bool needed = true;
  int runs = 0;

 private:
  std::unique_ptr<Assignment> assignment_ = std::make_unique<Assignment>();
};

TEST(DecisiveLimit, IsTried) {
  TimedWait e;
  e.assignment().plan.strategy = 7;
  const Trace t = TimedWait::trace(FindingKind::assertion);
  EXPECT_EQ(decisive_limit(e, t), 5u);
  EXPECT_EQ(e.assignment().plan.strategy, 7);
  e.needed = false;
  EXPECT_EQ(decisive_limit(e, t), 0u) << "it fails in any case";
  EXPECT_EQ(e.runs, 2);
}

TEST(DecisiveLimit, IsNotTriedWhereThatWouldTellNothing) {
  TimedWait e;
  Trace in_time = TimedWait::trace(FindingKind::assertion), later = in_time;
  in_time.events[4].other = kNoThread;
  EXPECT_EQ(decisive_limit(e, in_time), 0u) << "nobody else could go on";
  later.decisions[2].chosen = 1;
  EXPECT_EQ(decisive_limit(e, later), 0u);
  EXPECT_EQ(e.runs, 0);
}

TEST(DeviationsOf, WhatIsNotTheDefault) {
  Trace t;
  for (const auto& [chosen, standard] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
    Decision d;
    d.chosen = static_cast<std::uint16_t>(chosen);
    d.standard = static_cast<std::uint16_t>(standard);
    t.decisions.push_back(d);
  }
  const std::vector<Deviation> d = deviations_of(t);
  ASSERT_EQ(d.size(), 2u);
  EXPECT_EQ(d[0].decision, 1u);
  EXPECT_EQ(d[0].choice, 1u);
  EXPECT_EQ(d[1].decision, 3u);
  EXPECT_EQ(d[1].choice, 0u);
}

// Three threads of six steps. It fails if all of B happens between the third and the fourth step
// of A, or, elsewhere, if C begins.
class Minimizing : public testing::Test {
 protected:
  static void judge(const FakeExecutor::Execution& e, Problem& p) {
    if (e.position(1, 0) > e.position(0, 2) && e.position(1, 5) < e.position(0, 3))
      p = failure(FindingKind::assertion, "a.cc", 3);
    else if (e.order.front() == 2)
      p = failure(FindingKind::assertion, "other.cc", 9);
  }
  // A random execution that fails at a.cc:3.
  Trace failing(std::uint64_t from = 0) {
    Random random;
    for (std::uint64_t seed = from;; ++seed) {
      Plan plan;
      plan.seed = mix64(seed);
      plan.stickiness = 2;
      Trace t = executor.execute(random, plan);
      if (t.outcome.failure.line == 3 && t.outcome.preemptions > 3) return t;
    }
  }
  Minimized minimized(const Trace& t, std::uint32_t attempts = 1000) {
    executor.assignment().clear();
    return minimize(session, executor, t, attempts, monotonic_seconds() + 60);
  }
  Session session;
  FakeExecutor executor{FakeProgram::of_lengths({6, 6, 6}), &judge};
};

TEST_F(Minimizing, OneInterruptionIsLeft) {
  for (std::uint64_t from = 0; from < 5; ++from) {
    const Trace t = failing(from * 1'000'000);
    const Minimized m = minimized(t);
    EXPECT_TRUE(same_failure(t.outcome.failure, m.trace.outcome.failure));
    EXPECT_EQ(m.trace.outcome.preemptions, 1u);
    EXPECT_EQ(m.trace.outcome.switches, 3u);  // A, all of B, the rest of A, C
    EXPECT_EQ(m.attempts, static_cast<std::uint32_t>(executor.runs));
    executor.runs = 0;
  }
}

TEST_F(Minimizing, TheDeviationsLeadThereAgain) {
  const Minimized m = minimized(failing());
  Assignment& a = executor.assignment();
  a.clear();
  a.plan.strategy = kReplayStrategy;
  a.deviation_count = static_cast<std::uint32_t>(m.deviations.size());
  std::copy(m.deviations.begin(), m.deviations.end(), a.deviations);
  const Fresh f = executor.run();
  EXPECT_TRUE(same_failure(m.trace.outcome.failure, f.trace.outcome.failure));
  EXPECT_EQ(f.trace.outcome.preemptions, 1u);
  EXPECT_FALSE(replay_strategy().diverged());
}

// Whichever thread it was that was interrupted by another, it may be the first, and the rest is
// what the default does.
TEST(MinimizingAlike, OneDepartureIsLeft) {
  FakeExecutor executor(FakeProgram::of_lengths({6, 6, 6}), [](const FakeExecutor::Execution& e,
                                                               Problem& p) {
    for (ThreadId a = 0; a < 3; ++a)
      for (ThreadId b = 0; b < 3; ++b)
        if (a != b && e.position(b, 0) > e.position(a, 2) && e.position(b, 5) < e.position(a, 3))
          p = failure(FindingKind::assertion, "a.cc", 3);
  });
  const Session session;
  Random random;
  for (std::uint64_t seed = 0, found = 0; found < 5; ++seed) {
    Plan plan;
    plan.seed = mix64(seed);
    plan.stickiness = 2;
    const Trace t = executor.execute(random, plan);
    if (t.outcome.failure.line != 3 || deviations_of(t).size() < 3) continue;
    ++found;
    executor.assignment().clear();
    const Minimized m = minimize(session, executor, t, 1000, monotonic_seconds() + 60);
    EXPECT_EQ(m.deviations.size(), 1u) << seed;
  }
}

TEST_F(Minimizing, SoManyAttempts) {
  const Trace t = failing();
  const Minimized none = minimized(t, 0);
  EXPECT_EQ(none.attempts, 0u);
  EXPECT_EQ(executor.runs, 0);
  EXPECT_EQ(none.trace.outcome.preemptions, t.outcome.preemptions);
  EXPECT_EQ(none.deviations, deviations_of(t));
  EXPECT_LE(minimized(t, 3).attempts, 3u);
  EXPECT_EQ(executor.runs, 3);
}

TEST_F(Minimizing, NothingIsBegunThatLastsTooLong) {
  executor.seconds = 3600;
  EXPECT_EQ(minimized(failing()).attempts, 1u);
}

TEST_F(Minimizing, AnInterruptionEndsIt) {
  auto* progress = static_cast<Progress*>(map_pages(sizeof(Progress)));
  progress->interruption.signal = 2;
  session.progress = progress;
  EXPECT_EQ(minimized(failing()).attempts, 0u);
  munmap(progress, sizeof(Progress));
}

TEST_F(Minimizing, WhatAlwaysFailsNeedsNoDeviation) {
  FakeExecutor always(FakeProgram::of_lengths({4, 4}), [](const auto&, Problem& p) {
    p = failure(FindingKind::assertion, "a.cc", 1);
  });
  Random random;
  Plan plan;
  plan.stickiness = 1;
  plan.seed = 3;
  const Trace t = always.execute(random, plan);
  ASSERT_GT(t.outcome.preemptions, 0u);
  const Minimized m = minimize(session, always, t, 1000, monotonic_seconds() + 60);
  EXPECT_TRUE(m.deviations.empty());
  EXPECT_EQ(m.trace.outcome.preemptions, 0u);
}

}  // namespace
}  // namespace jostle::explore
