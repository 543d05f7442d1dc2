#include "report/steps.h"

#include <gtest/gtest.h>

#include "report/terminal.h"
#include "report/trace_builder.h"

namespace jostle::report {
namespace {

Steps steps_of(TraceBuilder b) {
  View v(b.trace, b.symbols);
  return report::steps_of(v);
}

TEST(Steps, SayWhatTheTimelineSays) {
  const Steps s = steps_of(lost_update());
  ASSERT_EQ(s.steps.size(), 10u);
  ASSERT_EQ(s.threads.size(), 3u);
  EXPECT_EQ(s.threads[0].title, "T0 (main)");
  const Step& read = s.steps[3];
  EXPECT_EQ(read.order, 4u);
  EXPECT_EQ(read.thread, 2u);
  EXPECT_EQ(read.kind, EventKind::read);
  EXPECT_EQ(read.text, "read balance → 100");
  EXPECT_EQ(read.function, "Account::withdraw");
  EXPECT_EQ(read.file, "/home/me/account.cc");
  EXPECT_EQ(read.line, 12u);
  EXPECT_EQ(read.change, "T1 is interrupted, T2 runs");
  EXPECT_TRUE(read.interrupts);
  EXPECT_EQ(s.steps[4].change, "");
  EXPECT_EQ(s.steps[6].change, "T2 has ended, T1 runs");
  EXPECT_FALSE(s.steps[6].interrupts);
  EXPECT_TRUE(s.steps[9].marked);
  EXPECT_FALSE(s.steps[8].marked);
}

TEST(Steps, EndlessWaitsComeLast) {
  const Steps s = steps_of(lock_cycle());
  ASSERT_EQ(s.steps.size(), 5u);
  EXPECT_EQ(s.steps[2].text, "waits for b, held by T2");
  EXPECT_EQ(s.steps[2].order, 3u);
  EXPECT_EQ(s.steps[2].line, 6u);
  EXPECT_TRUE(s.steps[2].marked);
  EXPECT_EQ(s.steps[4].text, "waits for the end of T1");
  EXPECT_EQ(s.steps[4].order, 5u);
}

TEST(Steps, NamesAreThoseOfTheReport) {
  TraceBuilder b(2);
  const auto pc = b.pc("f()", "/home/me/f.cc", 1);
  for (unsigned i = 0; i < 200; ++i)
    b.valued(i % 2, EventKind::write, 0x100000 + 64 * (i / 2), pc, i);
  View v(b.trace, b.symbols);
  const std::string text = render(v, {.max_events = 10});
  const Steps s = report::steps_of(v);
  EXPECT_EQ(s.steps.size(), 200u);
  EXPECT_NE(text.find(s.steps.back().text), std::string::npos) << text << s.steps.back().text;
}

TEST(Steps, NothingHappened) {
  const Steps s = steps_of(TraceBuilder(1));
  EXPECT_TRUE(s.steps.empty());
  EXPECT_TRUE(s.threads.empty());
}

}  // namespace
}  // namespace jostle::report
