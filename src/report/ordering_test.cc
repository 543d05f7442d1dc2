#include "report/ordering.h"

#include <gtest/gtest.h>

#include "report/trace_builder.h"

namespace jostle::report {
namespace {

std::string ordering(TraceBuilder b) {
  View v(b.trace, b.symbols);
  return decisive_ordering(v);
}

TraceBuilder failing(unsigned threads) {
  TraceBuilder b(threads);
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::assertion, {});
  return b;
}

TEST(Ordering, TornReadAndWrite) {
  EXPECT_EQ(ordering(lost_update()),
            "`balance` is read at account.cc:12 by T1, then written at :14 by T2, before T1 "
            "writes it at :14");
}

TEST(Ordering, ReadsOnlyAreNotTorn) {
  TraceBuilder b = failing(3);
  const Address x = b.variable("x");
  b.add(1, EventKind::read, x, b.pc("f()", "/m/a.cc", 1));
  b.add(2, EventKind::read, x, b.pc("g()", "/m/a.cc", 2));
  b.interrupted(1);
  b.add(1, EventKind::write, x, b.pc("f()", "/m/a.cc", 3));
  EXPECT_EQ(ordering(b), "`x` is read at a.cc:2 by T2 before T1 writes it at :3");
}

TEST(Ordering, UseBeforeInitialisation) {
  TraceBuilder b = failing(3);
  const Address p = b.variable("p", 8);
  b.add(1, EventKind::point, 0, b.pc("init()", "/m/a.cc", 4));
  b.add(2, EventKind::atomic_load, p, b.pc("use()", "/m/b.cc", 9));
  b.interrupted(1);
  b.add(1, EventKind::atomic_store, p, b.pc("init()", "/m/a.cc", 5));
  EXPECT_EQ(ordering(b), "`p` is read at b.cc:9 by T2 before T1 writes it at a.cc:5");
}

TEST(Ordering, TheVictimNeverComesBack) {
  TraceBuilder b = failing(3);
  const Address p = b.variable("p", 8);
  b.add(1, EventKind::write, p, b.pc("close()", "/m/a.cc", 4));
  b.add(2, EventKind::read, p, b.pc("use()", "/m/a.cc", 9));
  b.interrupted(1);
  EXPECT_EQ(ordering(b),
            "`p` is written at a.cc:4 by T1, then read at :9 by T2, while T1 is interrupted");
}

TEST(Ordering, FallsBackToTheSwitch) {
  TraceBuilder b = failing(3);
  const Address m = b.variable("m", 40), n = b.variable("n", 40);
  b.add(1, EventKind::mutex_lock, m, b.pc("f()", "/m/a.cc", 1));
  b.add(2, EventKind::mutex_lock, n, b.pc("g()", "/m/a.cc", 2));
  b.interrupted(1);
  b.add(1, EventKind::mutex_unlock, m, b.pc("f()", "/m/a.cc", 3));
  EXPECT_EQ(ordering(b), "T1 is interrupted before \"unlock m\" at a.cc:3, and T2 runs");
}

TEST(Ordering, EarlierInterruptionsCountIfTheLastExplainsNothing) {
  TraceBuilder b = lost_update();
  b.add(1, EventKind::point, 0, 0);
  b.interrupted(2);
  EXPECT_EQ(ordering(b).substr(0, 20), "`balance` is read at");
}

TEST(Ordering, WithoutInterruption) {
  TraceBuilder b = failing(2);
  EXPECT_EQ(ordering(b), "");
  b.add(1, EventKind::point, 0, 0);
  EXPECT_EQ(ordering(b), "no thread is interrupted: the order in which the threads run suffices");
}

TEST(Ordering, EarlyLimit) {
  TraceBuilder b = failing(2);
  const Address c = b.variable("c", 48);
  const auto wait = b.pc("wait()", "/m/a.cc", 12);
  b.add(0, EventKind::cond_wait, c, wait);
  b.add(0, EventKind::timeout, c, wait).other = 1;
  EXPECT_EQ(ordering(b), "no thread is interrupted: the order in which the threads run suffices")
      << "nobody has tried whether that matters";
  b.trace.early_limit = 2;
  const std::string text =
      "time runs out for T0 in its wait at a.cc:12, although T1 could still go on";
  EXPECT_EQ(ordering(b), text);
  b.add(1, EventKind::thread_exit, 0, 0);
  b.add(0, EventKind::cond_reacquire, c, wait).flags = kFailed | kTimedOut;
  EXPECT_EQ(ordering(b), text);
}

constexpr ThreadId kBoth[] = {0, 1};

// Both lock their own, and try the other's; in the end they are about to do this again.
TraceBuilder circle(EventKind next) {
  TraceBuilder b(2);
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::livelock, {});
  const Address locks[2] = {b.variable("a", 40), b.variable("b", 40)};
  const auto lock = b.pc("f()", "/m/a.cc", 1), attempt = b.pc("f()", "/m/a.cc", 2),
             unlock = b.pc("f()", "/m/a.cc", 3);
  for (int round = 0; round < 3; ++round) {
    for (const ThreadId t : kBoth) b.add(t, EventKind::mutex_lock, locks[t], lock);
    for (const ThreadId t : kBoth)
      b.add(t, EventKind::mutex_trylock, locks[1 - t], attempt).flags = kFailed;
    for (const ThreadId t : kBoth) b.add(t, EventKind::mutex_unlock, locks[t], unlock);
  }
  for (const ThreadId t : kBoth)
    if (next == EventKind::mutex_lock)
      b.trace.blocked.push_back({t, kNoThread, next, true, locks[t], lock});
    else
      b.trace.blocked.push_back({t, kNoThread, next, true, locks[1 - t], attempt});
  return b;
}

TEST(Ordering, InACircleThingsDoChange) {
  for (const EventKind next : {EventKind::mutex_lock, EventKind::mutex_trylock})
    EXPECT_EQ(ordering(circle(next)),
              "T0 and T1 go round in a circle: again and again T0 tries to lock `b` at a.cc:2 "
              "while T1 holds it and T1 tries to lock `a` at :2 while T0 holds it");
}

// Each takes back its flag when it sees the other one's.
TEST(Ordering, ACircleOfLooks) {
  TraceBuilder b(2);
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::livelock, {});
  const Address flags[2] = {b.variable("a", 4), b.variable("b", 4)};
  const auto set = b.pc("f()", "/m/a.cc", 1), look = b.pc("f()", "/m/a.cc", 2),
             clear = b.pc("f()", "/m/a.cc", 3);
  for (int round = 0; round < 3; ++round) {
    for (const ThreadId t : kBoth)
      b.valued(t, EventKind::atomic_store, flags[t], set, 1).flags |= kOldKnown;
    for (const ThreadId t : kBoth) b.valued(t, EventKind::atomic_load, flags[1 - t], look, 1);
    for (const ThreadId t : kBoth) b.valued(t, EventKind::atomic_store, flags[t], clear, 0);
  }
  for (const ThreadId t : kBoth)
    b.trace.blocked.push_back({t, kNoThread, EventKind::atomic_store, true, flags[t], set});
  EXPECT_EQ(ordering(b),
            "T0 and T1 go round in a circle: again and again T0 reads `b` at a.cc:2 while it is 1 "
            "and T1 reads `a` at :2 while it is 1");
}

TEST(Ordering, ACircleWithoutTries) {
  TraceBuilder b = circle(EventKind::mutex_lock);
  for (Event& e : b.trace.events) e.flags = 0;
  EXPECT_EQ(ordering(b),
            "T0 and T1 go round in a circle: each turn of their loops ends where it began, T0 at "
            "a.cc:1 and T1 at :1");
}

TEST(Ordering, ACircleOfOne) {
  TraceBuilder b(2);
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::livelock, {});
  const Address m = b.variable("m", 40);
  const auto lock = b.pc("f()", "/m/a.cc", 1), unlock = b.pc("f()", "/m/a.cc", 2);
  for (int i = 0; i < 3; ++i) {
    b.add(1, EventKind::mutex_lock, m, lock);
    b.add(1, EventKind::mutex_unlock, m, unlock);
  }
  b.trace.blocked = {{1, kNoThread, EventKind::mutex_lock, true, m, lock}};
  EXPECT_EQ(ordering(b),
            "T1 goes round in a circle at a.cc:1: each turn of its loop ends where it began");
}

TEST(Ordering, WhoYieldsWaitsForWhatItSeesInBetween) {
  TraceBuilder b(2);
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::livelock, {});
  const Address flag = b.variable("flag");
  const auto look = b.pc("f()", "/m/a.cc", 1), yield = b.pc("f()", "/m/a.cc", 2);
  for (int i = 0; i < 3; ++i) {
    b.valued(1, EventKind::atomic_load, flag, look, 0);
    b.add(1, EventKind::yield, 0, yield);
  }
  b.trace.blocked = {{1, kNoThread, EventKind::yield, true, 0, yield}};
  EXPECT_EQ(ordering(b),
            "T1 waits in a loop at a.cc:2 for `flag` to change, and no other thread will change "
            "it");
}

TEST(Ordering, OverlapCounts) {
  TraceBuilder b = failing(3);
  const Address x = b.variable("x", 8);
  b.add(1, EventKind::read, x, b.pc("f()", "/m/a.cc", 1)).size = 8;
  b.add(2, EventKind::write, x + 4, b.pc("g()", "/m/a.cc", 2));
  b.interrupted(1);
  b.add(1, EventKind::read, x, b.pc("f()", "/m/a.cc", 3)).size = 8;
  EXPECT_EQ(ordering(b),
            "`x` is read at a.cc:1 by T1, then written at :2 by T2, before T1 reads it at :3");
}

// T1 is woken for what T2 takes before T1 comes to run.
TEST(Ordering, WhoIsWokenMayComeTooLate) {
  TraceBuilder b = failing(3);
  const Address x = b.variable("x", 4), c = b.variable("c", 48), m = b.variable("m", 40);
  const auto look = b.pc("take()", "/m/a.cc", 1), wait = b.pc("take()", "/m/a.cc", 2),
             again = b.pc("take()", "/m/a.cc", 3), take = b.pc("take()", "/m/a.cc", 4),
             put = b.pc("put()", "/m/a.cc", 5);
  b.valued(1, EventKind::read, x, look, 0);
  b.add(1, EventKind::cond_wait, c, wait);
  b.valued(0, EventKind::write, x, put, 1);
  b.add(0, EventKind::cond_signal, c, put).other = 1;
  b.valued(2, EventKind::read, x, look, 1);
  b.valued(2, EventKind::write, x, take, 0);
  b.add(1, EventKind::cond_reacquire, m, wait);
  b.valued(1, EventKind::read, x, again, 0);
  b.trace.outcome.failure.place.thread = 1;
  EXPECT_EQ(ordering(b),
            "`x` is read at a.cc:1 by T1, then written at :4 by T2, before T1 reads it at :3");
}

TEST(Ordering, NothingToSayWithoutFailure) { EXPECT_EQ(ordering(TraceBuilder(2)), ""); }

}  // namespace
}  // namespace jostle::report
