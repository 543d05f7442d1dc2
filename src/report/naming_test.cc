#include "report/naming.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "report/event_text.h"
#include "report/source.h"
#include "report/trace_builder.h"

namespace jostle::report {
namespace {

TEST(Naming, Variables) {
  TraceBuilder b(1);
  const Address table = b.variable("(anonymous namespace)::table", 64);
  Naming n(b.trace, b.symbols);
  EXPECT_EQ(n.name(table, 0), "table");
  EXPECT_EQ(n.name(table + 8, 0), "table+8");
  EXPECT_EQ(n.long_name(table + 8, 0), "table+8");
}

TEST(Naming, HeapBlocksByTimeAndOrdinal) {
  TraceBuilder b(2);
  const Address at = 0x555500001000;
  const auto node = b.pc("make_node()", "/m/list.cc", 12);
  b.add(0, EventKind::alloc, at, node).value = 24;                              // event 0
  b.add(0, EventKind::free, at, 0);                                             // event 1
  b.add(0, EventKind::alloc, at, b.pc("other()", "/m/list.cc", 40)).value = 8;  // event 2
  b.add(0, EventKind::alloc, at + 64, node).value = 24;                         // event 3
  Naming n(b.trace, b.symbols);
  EXPECT_EQ(n.name(at, 1), "heap(list.cc:12)#1");
  EXPECT_EQ(n.name(at, 2), "heap(list.cc:40)");
  EXPECT_EQ(n.name(at + 16, 3), "heap(list.cc:12)#1+16") << "the smaller block does not cover it";
  EXPECT_EQ(n.name(at + 72, 3), "heap(list.cc:12)#2+8");
  EXPECT_EQ(n.long_name(at + 72, 3), "heap block of 24 bytes from make_node (list.cc:12) +8");
  EXPECT_EQ(n.allocation(at, 1), 0u);
  EXPECT_EQ(n.allocation(at + 72, 2), b.trace.events.size()) << "not yet allocated";
}

TEST(Naming, VariablesOfCalls) {
  TraceBuilder b(2);
  const Address balance = 0x7ffe0000, other = 0x7ffe0100;
  b.symbols.locals[balance] = {"balance", 16};
  b.symbols.locals[other] = {"balance", 16};
  b.trace.frames = {{1, balance + 64, balance, 0, 0, 0}, {1, other + 64, other, 0, 0, 0}};
  b.add(0, EventKind::write, balance, 0).frame = 1;     // event 0
  b.add(1, EventKind::read, balance + 8, 0).frame = 1;  // event 1
  b.add(1, EventKind::read, other, 0).frame = 2;        // event 2
  b.add(1, EventKind::read, balance + 4, 0);            // event 3: the call has returned
  b.add(1, EventKind::read, balance + 12, 0).frame = 9;
  b.trace.blocked = {{0, kNoThread, EventKind::mutex_lock, false, other + 8, 0, 2}};
  Naming n(b.trace, b.symbols);
  EXPECT_EQ(n.name(balance, 0), "balance");
  EXPECT_EQ(n.name(balance + 8, 1), "balance[8]");
  EXPECT_EQ(n.name(other, 2), "balance#2") << "another variable";
  EXPECT_EQ(n.name(other + 8, b.trace.events.size()), "balance#2[8]") << "what a thread waits for";
  EXPECT_EQ(n.name(balance, 3), "balance") << "a pointer to it, seen later";
  EXPECT_EQ(n.name(balance + 4, 3), "object A") << "dangling";
  EXPECT_EQ(n.name(balance + 12, 4), "object B") << "nonsense in the trace";
}

TEST(Naming, MembersOfAFixtureAreCalledAsInItsBody) {
  TraceBuilder b(1);
  b.symbols.locals[0x7ffe0000] = {"jostle_fixture", 16};
  b.symbols.member_prefix = ".items_";
  b.trace.frames = {{1, 0x7ffe0040, 0x7ffe0000, 0, 0, 0}};
  b.add(0, EventKind::write, 0x7ffe0004, 0).frame = 1;
  Naming n(b.trace, b.symbols);
  EXPECT_EQ(n.name(0x7ffe0004, 0), "items_[4]");
}

TEST(Naming, LettersInOrderOfAppearance) {
  TraceBuilder b(1);
  Naming n(b.trace, b.symbols);
  EXPECT_EQ(n.name(0x7ffe0010, 0, EventKind::mutex_lock), "mutex A");
  EXPECT_EQ(n.name(0x7ffe0000, 0, EventKind::read), "object B");
  EXPECT_EQ(n.name(0x7ffe0010, 9), "mutex A");
  for (Address a = 2; a < 26; ++a) n.name(a, 0);
  EXPECT_EQ(n.name(0x9999, 0), "object AA");
  EXPECT_EQ(n.name(0, 0), "");
}

TEST(Naming, Threads) {
  TraceBuilder b(4);
  b.trace.threads[3].parent = 2;
  b.trace.threads[3].ordinal = 0;
  std::strcpy(b.trace.threads[1].name, "worker");
  EXPECT_EQ(thread_title(b.trace, 0), "T0 (main)");
  EXPECT_EQ(thread_title(b.trace, 1), "T1 (worker)");
  EXPECT_EQ(thread_title(b.trace, 2), "T2");
  EXPECT_EQ(thread_title(b.trace, 3), "T3 (0.1.0)");
  EXPECT_EQ(thread_title(b.trace, 77), "T77");
  EXPECT_EQ(thread_label(kNoThread), "?");
}

TEST(EventText, Values) {
  TraceBuilder b(1);
  const Address x = b.variable("x");
  View v(b.trace, b.symbols);
  EXPECT_EQ(value_text(v, 100, 4, 0), "100");
  EXPECT_EQ(value_text(v, 0xffffffff, 4, 0), "-1");
  EXPECT_EQ(value_text(v, 0xff, 1, 0), "-1");
  EXPECT_EQ(value_text(v, ~0ull, 8, 0), "-1");
  EXPECT_EQ(value_text(v, 0x4059000000000000, 8, 0), "0x4059000000000000");
  EXPECT_EQ(value_text(v, 0x7ffe12345678, 8, 0), "&object A");
  EXPECT_EQ(value_text(v, x, 8, 0), std::to_string(x)) << "small numbers are no pointers";
}

TEST(EventText, Operations) {
  TraceBuilder b(3);
  const Address x = b.variable("x");
  const auto text = [&](Event e) {
    b.trace.events = {e};
    View v(b.trace, b.symbols);
    return event_text(v, 0);
  };
  Event e;
  e.address = x;
  e.size = 4;
  e.kind = EventKind::atomic_cas;
  e.order = 5;
  e.flags = kFailed | kOldKnown;
  e.old = 3;
  EXPECT_EQ(text(e), "compare-exchange x: fails, is 3");
  e.flags = kValueKnown | kOldKnown;
  e.value = 4;
  EXPECT_EQ(text(e), "compare-exchange x: 3 → 4");
  e.kind = EventKind::atomic_load;
  e.order = 0;
  EXPECT_EQ(text(e), "atomic load x → 4 (relaxed)");
  e.flags = kFailed;
  e.kind = EventKind::mutex_trylock;
  EXPECT_EQ(text(e), "try to lock x: not recoverable");
  e.other = 1;
  EXPECT_EQ(text(e), "try to lock x: not free");
  e.kind = EventKind::mutex_unlock;
  EXPECT_EQ(text(e), "unlock x: it does not hold that");
  e.kind = EventKind::sem_post;
  EXPECT_EQ(text(e), "post semaphore x: the value would be too large");
  e.flags = kFailed | kRelock;
  e.kind = EventKind::rwlock_wrlock;
  EXPECT_EQ(text(e), "lock for writing x: it holds that already");
  e.flags = kFailed | kTimedOut;
  e.kind = EventKind::mutex_trylock;
  EXPECT_EQ(text(e), "try to lock x: time is up");
  e.kind = EventKind::cond_reacquire;
  EXPECT_EQ(text(e), "wake and relock x: time is up");
  e.flags = 0;
  e.kind = EventKind::stream_use;
  EXPECT_EQ(text(e), "use x");
  e.kind = EventKind::cond_signal;
  e.other = 2;
  EXPECT_EQ(text(e), "signal x, wakes T2");
  e.kind = EventKind::thread_join;
  EXPECT_EQ(text(e), "join T2");
  e.kind = EventKind::thread_start;
  e.thread = 1;
  EXPECT_EQ(text(e), "T1 starts");
}

TEST(Source, LinesAreCleanedAndMayBeMissing) {
  const std::string path = testing::TempDir() + "/jostle_source_test.cc";
  std::ofstream(path) << "first\n\t  int  x\t= 1;\x1b[31m \nlast";
  Source s;
  EXPECT_EQ(s.line(path, 1), "first");
  EXPECT_EQ(s.line(path, 2), "int x = 1; [31m");
  EXPECT_EQ(s.line(path, 3), "last");
  EXPECT_EQ(s.line(path, 4), "");
  EXPECT_EQ(s.line(path, 0), "");
  EXPECT_EQ(s.line("/nowhere/x.cc", 1), "");
  EXPECT_EQ(s.line("", 1), "");
  std::filesystem::remove(path);
}

TEST(Source, RelativePathsAreFoundFromBelow) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(testing::TempDir()) / "jostle_source_root";
  fs::create_directories(root / "build" / "tests");
  fs::create_directories(root / "src");
  std::ofstream(root / "src" / "odd_name.cc") << "found\n";
  const fs::path before = fs::current_path();
  fs::current_path(root / "build" / "tests");
  Source s;
  EXPECT_EQ(s.line("src/odd_name.cc", 1), "found");
  EXPECT_EQ(s.line("src/other_name.cc", 1), "");
  fs::current_path(before);
  fs::remove_all(root);
}

}  // namespace
}  // namespace jostle::report
