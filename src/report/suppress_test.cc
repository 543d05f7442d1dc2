#include "report/suppress.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "report/trace_builder.h"

namespace jostle::report {
namespace {

FindingInfo race() {
  FindingInfo f;
  f.kind = FindingKind::race;
  f.frames = {{"void Logger<int>::write(int)", "/home/me/third_party/log.cc", 14},
              {"main", "/home/me/main.cc", 3}};
  f.variable = "log_level";
  return f;
}

bool suppressed(const std::string& rules, const FindingInfo& f = race()) {
  const auto s = Suppressions::parse(rules);
  EXPECT_TRUE(s) << s.error();
  return s && s->matches(f);
}

TEST(Pattern, Stars) {
  EXPECT_TRUE(matches_pattern("", ""));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("a*c", "abbc"));
  EXPECT_TRUE(matches_pattern("*b*", "abc"));
  EXPECT_FALSE(matches_pattern("a*c", "abcd"));
  EXPECT_FALSE(matches_pattern("a", "A"));
  EXPECT_FALSE(matches_pattern("", "a"));
  // Takes for ever if written naively.
  EXPECT_FALSE(matches_pattern("*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(Suppressions, Rules) {
  EXPECT_TRUE(suppressed("race:Logger::write"));
  EXPECT_TRUE(suppressed("# comment\n\n  race : Logger::*  \r\n"));
  EXPECT_TRUE(suppressed("race:log.cc"));
  EXPECT_TRUE(suppressed("race:*/third_party/*"));
  EXPECT_TRUE(suppressed("race:log_level"));
  EXPECT_TRUE(suppressed("*:main"));
  EXPECT_TRUE(suppressed("*:*"));
  EXPECT_TRUE(suppressed("deadlock:x\nrace:function=Logger::*,variable=log_*"));
  EXPECT_TRUE(suppressed("race:variable=log_level"));
  EXPECT_FALSE(suppressed(""));
  EXPECT_FALSE(suppressed("deadlock:Logger::write"));
  EXPECT_FALSE(suppressed("race:Logger"));
  EXPECT_FALSE(suppressed("race:function=Logger::*,variable=other"));
  EXPECT_FALSE(suppressed("race:function=main,file=log.cc")) << "not the same frame";
  FindingInfo none;
  none.kind = FindingKind::race;
  EXPECT_FALSE(suppressed("race:variable=x", none));
}

TEST(Suppressions, Errors) {
  const auto error = [](const char* text) { return Suppressions::parse(text).error(); };
  EXPECT_EQ(error("race:ok\nrace"), "line 2: expected KIND:PATTERN");
  EXPECT_EQ(error("rice:x"), "line 1: unknown kind of finding rice");
  EXPECT_EQ(error("none:x"), "line 1: unknown kind of finding none");
  EXPECT_EQ(error("race:"), "line 1: the pattern is missing; '*' would match everything");
  EXPECT_EQ(error("race:func=x"),
            "line 1: expected function=, file= or variable= instead of func=x");
  EXPECT_EQ(error("race:file=x,file=y"), "line 1: 'file' stands here a second time");
  EXPECT_EQ(error("race:file="), "line 1: 'file' has no pattern");
  EXPECT_EQ(error("race:file=x,y"), "line 1: expected function=, file= or variable= instead of y");
  EXPECT_EQ(Suppressions::load("/nowhere").error(),
            "cannot read '/nowhere': No such file or directory");
}

TEST(Baseline, RoundTripKeepsComments) {
  Baseline b;
  b.add("race|f@a.cc:1|g@a.cc:2", "known\nsince May");
  b.add("exit-code|main@a.cc:9");
  EXPECT_EQ(b.text(),
            "jostle-baseline 1\n"
            "exit-code|main@a.cc:9\n"
            "# known\n# since May\n"
            "race|f@a.cc:1|g@a.cc:2\n");
  const auto again = Baseline::parse(b.text());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->text(), b.text());
  EXPECT_TRUE(again->contains("race|f@a.cc:1|g@a.cc:2"));
  EXPECT_FALSE(again->contains("race|g@a.cc:2|f@a.cc:1"));

  const std::string path = testing::TempDir() + "/jostle_baseline_test";
  ASSERT_TRUE(b.save(path));
  EXPECT_EQ(Baseline::load(path)->size(), 2u);
  std::filesystem::remove(path);
}

TEST(Baseline, Errors) {
  EXPECT_EQ(Baseline::parse("").error(), "line 1: expected 'jostle-baseline 1'");
  EXPECT_EQ(Baseline::parse("# x\njostle-baseline 2\n").error(),
            "line 2: expected 'jostle-baseline 1'");
  EXPECT_EQ(Baseline::parse("jostle-baseline 1\nhello\n").error(),
            "line 2: hello is not a fingerprint");
}

TEST(Fingerprint, DoesNotDependOnWhoCameFirst) {
  TraceBuilder b(3);
  const auto f = b.pc("f<int>()", "/m/a.cc", 1), g = b.pc("g()", "/m/a.cc", 2);
  Problem p = TraceBuilder::problem(FindingKind::race, {1, EventKind::write, f, 0});
  p.other = {2, EventKind::read, g, 0};
  Problem q = TraceBuilder::problem(FindingKind::race, {1, EventKind::read, g, 0});
  q.other = {2, EventKind::write, f, 0};
  View v(b.trace, b.symbols);
  EXPECT_EQ(fingerprint(v, p), "race|f@a.cc:1|g@a.cc:2");
  EXPECT_EQ(fingerprint(v, q), fingerprint(v, p));
}

TEST(Fingerprint, DeadlocksBySortedPlaces) {
  TraceBuilder b = lock_cycle();
  View v(b.trace, b.symbols);
  const std::string key = fingerprint(v, b.trace.outcome.failure);
  EXPECT_EQ(key, "deadlock|first@locks.cc:6|second@locks.cc:11");
  std::swap(b.trace.blocked[0], b.trace.blocked[1]);
  EXPECT_EQ(fingerprint(v, b.trace.outcome.failure), key);
}

TEST(Fingerprint, DescribeGathersAllStacks) {
  TraceBuilder b = lock_cycle();
  View v(b.trace, b.symbols);
  const FindingInfo info = describe(v, b.trace.outcome.failure);
  EXPECT_EQ(info.frames.size(), 3u);
  EXPECT_TRUE(suppressed("deadlock:second", info));
}

}  // namespace
}  // namespace jostle::report
