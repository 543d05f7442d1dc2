#include "report/terminal.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "report/fingerprint.h"
#include "report/ordering.h"
#include "report/text.h"
#include "report/trace_builder.h"

namespace jostle::report {
namespace {

std::string rendered(TraceBuilder b, const RenderOptions& o = {}) {
  return "\n" + render(b.trace, b.symbols, o);
}

TEST(Terminal, LostUpdate) {
  EXPECT_EQ(rendered(lost_update()), R"(
      T0 (main)         T1                T2
    1 create T1
        account.cc:30  in main
    2 create T2
        account.cc:31  in main
── T0 waits, T1 runs ───────────────────────────────────────
    3 │                 read balance → 100
      │                   account.cc:12  in Account::withdraw
━━ T1 is interrupted, T2 runs ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
    4 │                 │                 read balance → 100
      │                 │                   account.cc:12  in Account::withdraw
    5 │                 │                 write balance: 100 → 90
      │                 │                   account.cc:14  in Account::withdraw
    6 │                 │                 T2 ends
── T2 has ended, T1 runs ───────────────────────────────────
    7 │                 write balance: 90 → 80
      │                   account.cc:14  in Account::withdraw
    8 │                 T1 ends
── T1 has ended, T0 runs ───────────────────────────────────
    9 join T1
        account.cc:33  in main
   10 read balance → 80
        account.cc:35  in main

assertion: Assertion `balance == 70' failed.
  in T0 (main) at account.cc:35
      main  account.cc:35

What matters: `balance` is read at account.cc:12 by T1, then written at :14 by
T2, before T1 writes it at :14.
)");
}

TEST(Terminal, LockCycle) {
  EXPECT_EQ(rendered(lock_cycle()), R"(
      T1                      T2
    1 lock a
        locks.cc:5  in first
━━ T1 is interrupted, T2 runs ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
    2 │                       lock b
      │                         locks.cc:10  in second

deadlock: T1 and T2 wait for each other in a cycle
  T1 waits for b at locks.cc:6
      first  locks.cc:6
    held by T2, taken at locks.cc:10
  T2 waits for a at locks.cc:11
      second  locks.cc:11
    held by T1, taken at locks.cc:5
  T0 (main) waits for the end of T1 at locks.cc:20
      main  locks.cc:20

What matters: T1 takes `a` at locks.cc:5, then T2 takes `b` at :10; now T1 wants
`b` at :6 and T2 wants `a` at :11.
)");
}

TEST(Terminal, LostWakeup) {
  EXPECT_EQ(rendered(lost_wakeup()), R"(
      T1                      T2
    1 signal ready: nobody waits
        queue.cc:9  in produce
    2 T1 ends
── T1 has ended, T2 runs ───────────────────────────────────
    3 │                       lock m
      │                         queue.cc:19  in consume
    4 │                       wait on condition ready
      │                         queue.cc:20  in consume

deadlock: T2 waits for a signal that came too early: a lost wakeup
  T2 waits for ready at queue.cc:20
      consume  queue.cc:20
    signalled too early by T1 at queue.cc:9, before the wait

What matters: `ready` is signalled at queue.cc:9 by T1 before T2 waits on it at
:20.
)");
}

TEST(Terminal, OtherDeadlocks) {
  TraceBuilder b = lost_wakeup();
  b.trace.events[0].kind = EventKind::point;  // nobody ever signalled
  EXPECT_NE(rendered(b).find("T2 waits for something that nobody left can bring about"),
            std::string::npos);

  TraceBuilder used = lost_wakeup();
  used.trace.events[0].other = 3;  // and nobody after that
  EXPECT_NE(rendered(used).find("T2 waits for something that nobody left can bring about"),
            std::string::npos);
  EXPECT_NE(rendered(used).find("the last signal woke T3, which sends none: by T1 at queue.cc:9"),
            std::string::npos);

  TraceBuilder again = lost_wakeup();
  again.trace.events[0].other = 2;
  EXPECT_NE(
      rendered(again).find("the last signal woke it, but it waits again: by T1 at queue.cc:9"),
      std::string::npos);
  EXPECT_NE(rendered(again).find("by T1, which wakes T2, and"), std::string::npos);

  TraceBuilder posted = lost_wakeup();  // a semaphore remembers
  posted.trace.events[0].kind = EventKind::sem_post;
  EXPECT_EQ(rendered(posted).find("lost wakeup"), std::string::npos);

  TraceBuilder self = lock_cycle();
  self.trace.blocked = {{1, 1, EventKind::mutex_lock, false, self.trace.events[0].address, 0}};
  EXPECT_NE(rendered(self).find("T1 waits for a lock that it holds itself"), std::string::npos);
  EXPECT_NE(rendered(self).find("it holds that itself, taken at locks.cc:5"), std::string::npos);

  TraceBuilder gone = lock_cycle();
  gone.add(1, EventKind::thread_exit, 0, 0);
  gone.trace.blocked.erase(gone.trace.blocked.begin());
  EXPECT_NE(rendered(gone).find("T2 waits for a lock that T1 still held when it ended"),
            std::string::npos);
  EXPECT_NE(rendered(gone).find("held by T1, which has ended, taken at locks.cc:5"),
            std::string::npos);
}

TEST(Terminal, RaceShowsBothStacks) {
  TraceBuilder b(3);
  const Address x = b.variable("x");
  const auto main_pc = b.pc("main", "/m/r.cc", 30);
  const auto library = b.pc("std::__invoke<f>()", "/usr/include/c++/12/bits/invoke.h", 61);
  b.add(1, EventKind::write, x, b.pc("set()", "/m/r.cc", 5)).stack = b.stack({library, main_pc});
  const Place first = b.here();
  b.add(2, EventKind::read, x, b.pc("get()", "/m/r.cc", 9)).stack = b.stack({main_pc});
  Problem p = TraceBuilder::problem(FindingKind::race, b.here());
  p.other = first;
  p.address = x;
  p.size = 4;
  b.trace.races = {p};
  const std::string text = rendered(b);
  EXPECT_NE(text.find(R"(race: two unordered accesses to `x` (4 bytes)
  T2 reads at r.cc:9
      get  r.cc:9
      main  r.cc:30
  unordered with: T1 writes at r.cc:5
      set  r.cc:5
      main  r.cc:30
)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("`x` is written at r.cc:5 by T1 and read at :9 by T2"), std::string::npos);
}

TEST(Terminal, HeapShowsAccessFreeAndAllocation) {
  TraceBuilder b(3);
  const Address block = 0x555500001000;
  b.add(0, EventKind::alloc, block, b.pc("make_node()", "/m/list.cc", 12)).value = 24;
  b.add(1, EventKind::free, block, b.pc("drop()", "/m/list.cc", 20));
  const Place freed = b.here();
  b.add(2, EventKind::read, block + 8, b.pc("walk()", "/m/list.cc", 30));
  Problem p = TraceBuilder::problem(FindingKind::heap, b.here(), "read of freed memory");
  p.other = freed;
  p.address = block + 8;
  p.size = 8;
  b.trace.outcome.failure = p;
  const std::string text = rendered(b);
  EXPECT_NE(text.find(R"(heap: read of freed memory
  memory: heap block of 24 bytes from make_node (list.cc:12) +8 (8 bytes)
  T2 reads at list.cc:30
      walk  list.cc:30
  freed by T1 at list.cc:20
      drop  list.cc:20
  allocated by T0 (main) at list.cc:12
      make_node  list.cc:12
)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("5555"), std::string::npos) << "a raw address";
}

TEST(Terminal, LivelockNamesTheLoop) {
  TraceBuilder b(2);
  const Address flag = b.variable("flag");
  const auto pc = b.pc("wait_for_flag()", "/m/l.cc", 3);
  for (int i = 0; i < 5; ++i) b.valued(1, EventKind::atomic_load, flag, pc, 0).order = 5;
  b.trace.blocked = {{1, kNoThread, EventKind::atomic_load, true, flag, pc}};
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::livelock, b.here());
  const std::string text = rendered(b);
  EXPECT_NE(text.find("T1 spins in wait_for_flag on flag at l.cc:3"), std::string::npos) << text;
  EXPECT_NE(text.find("T1 waits in a loop at l.cc:3 for `flag` to change"), std::string::npos);
}

// What it does next may be to write, or to give back a lock: it does not spin on that.
TEST(Terminal, LivelockNamesWhatIsLookedAtInVain) {
  TraceBuilder b(3);
  const Address mine = b.variable("mine", 4), others = b.variable("others", 4);
  for (int i = 0; i < 3; ++i) {
    b.add(1, EventKind::atomic_store, mine, b.pc("f()", "/m/a.cc", 1)).value = 1;
    b.add(1, EventKind::atomic_load, others, b.pc("f()", "/m/a.cc", 2)).value = 1;
  }
  b.trace.blocked = {
      {1, kNoThread, EventKind::atomic_store, true, mine, b.pc("f()", "/m/a.cc", 1)}};
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::livelock, b.here());
  EXPECT_NE(rendered(b).find("T1 spins in f on others at a.cc:1"), std::string::npos)
      << rendered(b);
  b.trace.events.back().kind = EventKind::mutex_trylock;
  b.trace.events.back().flags |= kFailed;
  b.trace.blocked[0].kind = EventKind::mutex_lock;
  EXPECT_NE(rendered(b).find("T1 spins in f on others at a.cc:1"), std::string::npos)
      << rendered(b);
}

TEST(Terminal, ALimitThatMattersIsShownEvenIfNobodyElseTouchesTheObject) {
  TraceBuilder b(2);
  const Address c = b.variable("ready", 48);
  const auto inside = b.pc("std::condition_variable::wait_for()", "/usr/include/c.h", 7);
  b.add(0, EventKind::cond_wait, c, inside);
  b.add(0, EventKind::timeout, c, inside).other = 1;
  b.add(0, EventKind::point, 0, b.pc("main", "/m/a.cc", 9));
  b.trace.outcome.failure = TraceBuilder::problem(FindingKind::assertion, b.here());
  EXPECT_EQ(rendered(b).find("time is up"), std::string::npos);
  b.trace.early_limit = 2;
  const std::string text = rendered(b);
  EXPECT_NE(text.find("wait on condition ready"), std::string::npos) << text;
  EXPECT_NE(text.find("time is up ready"), std::string::npos) << text;
}

TEST(Terminal, LongTracesAreElidedAroundSwitchesAndEnd) {
  TraceBuilder b(3);
  const Address x = b.variable("x");
  const auto pc = b.pc("work()", "/m/w.cc", 1);
  for (int i = 0; i < 500; ++i) b.valued(1, EventKind::atomic_rmw, x, pc, 1);
  b.valued(2, EventKind::atomic_rmw, x, pc, 7777);
  b.interrupted(1);
  for (int i = 0; i < 500; ++i) b.valued(2, EventKind::atomic_rmw, x, pc, 2);
  b.valued(2, EventKind::atomic_rmw, x, pc, 8888);
  const std::string text = rendered(b);
  EXPECT_NE(text.find("7777"), std::string::npos);
  EXPECT_NE(text.find("8888"), std::string::npos);
  EXPECT_NE(text.find("      … 497 events …\n"), std::string::npos) << text;
  EXPECT_NE(text.find("T1 is interrupted, T2 runs"), std::string::npos);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
}

TEST(Terminal, AccessesOfOneThreadAreCountedNotShown) {
  TraceBuilder b = lost_update();
  const Address own = b.variable("scratch");
  b.add(1, EventKind::write, own, 0);
  b.add(1, EventKind::read, own, 0);
  const std::string text = rendered(b);
  EXPECT_EQ(text.find("scratch"), std::string::npos);
  EXPECT_NE(text.find("(not shown: 2 operations on what only one thread touches)"),
            std::string::npos);
}

TEST(Terminal, LocksOfLibrariesAreNotShownUnlessShared) {
  TraceBuilder b = lost_update();
  const Address own = b.variable("library_lock");
  const std::uint64_t inside = b.pc("testing::internal::Mutex::lock", "", 0);
  b.add(0, EventKind::mutex_lock, own, inside);
  b.add(0, EventKind::mutex_unlock, own, inside);
  EXPECT_EQ(rendered(b).find("library_lock"), std::string::npos);
  b.add(1, EventKind::mutex_lock, own, inside);
  EXPECT_NE(rendered(b).find("library_lock"), std::string::npos);
}

TEST(Terminal, WhatANewThreadIsHandedIsNotShown) {
  TraceBuilder b(2);
  const Address handed = b.variable("handed"), later = b.variable("later");
  b.add(0, EventKind::write, handed, 0);
  b.add(0, EventKind::thread_create, 0, 0).other = 1;
  b.add(0, EventKind::write, later, 0);
  b.add(1, EventKind::read, handed, 0);
  b.add(1, EventKind::read, later, 0);
  const std::string text = rendered(b);
  EXPECT_EQ(text.find("handed"), std::string::npos) << text;
  EXPECT_NE(text.find("read later"), std::string::npos) << text;
}

TEST(Terminal, TheFailureIsInItsColumn) {
  TraceBuilder b = lost_update();
  b.add(0, EventKind::read, 0, b.pc("main", "account.cc", 36));
  b.add(0, EventKind::point, 0, b.pc("main", "account.cc", 36));
  b.trace.outcome.failure.kind = FindingKind::crash;
  b.trace.outcome.failure.place.event = static_cast<std::uint32_t>(b.trace.events.size());
  const std::string text = rendered(b);
  EXPECT_NE(text.find("   11 read null\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   12 ✗ crash\n"), std::string::npos) << text;
}

TEST(Terminal, ManyThreadsGetLabelsInsteadOfColumns) {
  TraceBuilder b(9);
  const Address x = b.variable("x");
  for (ThreadId t = 0; t < 9; ++t) b.valued(t, EventKind::atomic_rmw, x, 0, t).order = 5;
  const std::string text = rendered(b);
  EXPECT_NE(text.find("    9 T8    atomic update x = 8\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("│"), std::string::npos);
}

TEST(Terminal, EmptyTrace) { EXPECT_EQ(rendered(TraceBuilder(0)), "\n"); }

TEST(Terminal, ColourAddsNothingButEscapes) {
  std::string with = rendered(lost_update(), {.color = true});
  EXPECT_NE(with.find("\x1b["), std::string::npos);
  for (std::size_t at; (at = with.find("\x1b[")) != std::string::npos;)
    with.erase(at, with.find('m', at) + 1 - at);
  EXPECT_EQ(with, rendered(lost_update()));
}

// Traces come from memory that a crashing program could write to: nothing in one may crash the
// report. Lines must keep to the width whatever the names.
TEST(Terminal, RandomTraces) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    const unsigned threads = 1 + rng.below(9);
    TraceBuilder b(threads);
    const Address x = b.variable("a_rather_long_name_of_a_variable_in::some::scope", 16);
    const unsigned n = rng.below(120);
    for (unsigned i = 0; i < n; ++i) {
      constexpr auto kKinds = static_cast<unsigned>(EventKind::free) + 1;
      const auto kind = static_cast<EventKind>(rng.below(kKinds));
      const Address address[] = {0, x, x + 8, 0x7ffe00000000u + rng.below64(4) * 8, rng.next()};
      Event& e = b.add(
          static_cast<ThreadId>(rng.below(threads + 1)), kind, address[rng.below(5)],
          b.pc("function_with_a_long_name<int>(int)", "/m/long_file_name.cc", 1 + rng.below(9)));
      e.flags = static_cast<std::uint8_t>(rng.next());
      e.order = static_cast<std::uint8_t>(rng.next());
      e.value = rng.chance(1, 2) ? rng.next() : rng.below(100);
      e.size = static_cast<std::uint32_t>(rng.chance(1, 2) ? rng.next() : 4);
      e.stack = rng.below(4);
      e.decision = rng.below(6);
      e.other = static_cast<ThreadId>(rng.chance(1, 2) ? kNoThread : rng.below(12));
    }
    for (int i = 0; i < 4; ++i) {
      Decision d;
      d.running = static_cast<ThreadId>(rng.below(threads + 2));
      d.preempts = rng.chance(1, 2);
      b.trace.decisions.push_back(d);
    }
    for (unsigned i = 0; i < rng.below(4); ++i)
      b.trace.blocked.push_back({static_cast<ThreadId>(rng.below(threads)),
                                 static_cast<ThreadId>(rng.chance(1, 2) ? kNoThread : rng.below(9)),
                                 EventKind::mutex_lock, rng.chance(1, 4), x, 0});
    Problem& p = b.trace.outcome.failure;
    p.kind = static_cast<FindingKind>(rng.below(static_cast<unsigned>(FindingKind::timeout) + 1));
    p.place = {static_cast<ThreadId>(rng.below(12)), EventKind::write, 0x1000, rng.below(200)};
    p.other = {static_cast<ThreadId>(rng.below(12)), EventKind::read, 0x1000, rng.below(200)};
    p.address = rng.chance(1, 2) ? x : rng.next();
    b.trace.stacks = {0, ~0ull, 0x1000, 3, 0x1001};
    const std::string text = rendered(b, {.max_events = 5 + rng.below(100)});
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      EXPECT_LE(width_of(std::string_view(text).substr(at, end - at)), 80u);
      at = end + 1;
    }
    View v(b.trace, b.symbols);
    EXPECT_FALSE(fingerprint(v, p, "run").empty());
  }
}

}  // namespace
}  // namespace jostle::report
