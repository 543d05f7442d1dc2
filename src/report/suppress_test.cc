#include "report/suppress.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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

TEST(Baseline, RoundTripKeepsWhatPeopleWrote) {
  const std::string sorted =
      "# of the bank\n"
      "jostle-baseline 2\n"
      "exit-code|bank: the program ended with exit code 1\n"
      "\n# known\n# since May\n"
      "race|f@a.cc: ++x;|g@a.cc: return x || y;\n"
      "# the end\n";
  const auto b = Baseline::parse(sorted);
  ASSERT_TRUE(b) << b.error();
  EXPECT_EQ(b->text(), sorted);
  EXPECT_TRUE(b->contains("race|f@a.cc: ++x;|g@a.cc: return x || y;"));
  EXPECT_FALSE(b->contains("race|g@a.cc: return x || y;|f@a.cc: ++x;"));
}

TEST(Baseline, Errors) {
  EXPECT_EQ(Baseline::parse("").error(), "line 1: expected 'jostle-baseline 2'");
  EXPECT_EQ(Baseline::parse("# x\njostle-baseline 3\n").error(),
            "line 2: expected 'jostle-baseline 2'");
  EXPECT_NE(Baseline::parse("jostle-baseline 1\n").error().find("make it anew"), std::string::npos);
  EXPECT_EQ(Baseline::parse("jostle-baseline 2\nhello\n").error(),
            "line 2: hello is not a fingerprint");
}

class BaselineFile : public testing::Test {
 protected:
  BaselineFile() {
    std::string name = testing::TempDir() + "jostle-baseline-XXXXXX";
    folder = mkdtemp(name.data());
    path = folder + "/made/known";
  }
  ~BaselineFile() override { std::filesystem::remove_all(folder); }
  std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string folder, path;
};

TEST_F(BaselineFile, MergedWithWhatIsThere) {
  using Texts = std::vector<std::string>;
  ASSERT_TRUE(Baseline::add_to(path, Texts{"race|b", "race|a", "race|b"}));
  EXPECT_EQ(text(), "jostle-baseline 2\nrace|a\nrace|b\n");
  std::ofstream(path) << "jostle-baseline 2\n# ours\nrace|b\nrace|a\n";
  ASSERT_TRUE(Baseline::add_to(path, Texts{"crash|c", "race|b"}));
  EXPECT_EQ(text(), "jostle-baseline 2\ncrash|c\nrace|a\n# ours\nrace|b\n");
}

TEST_F(BaselineFile, OneThatIsDamagedIsLeftAlone) {
  std::filesystem::create_directory(folder + "/made");
  std::ofstream(path) << "jostle-baseline 2\nrace|a\n<<<<<<< HEAD\n";
  const std::string before = text();
  const auto added = Baseline::add_to(path, std::vector<std::string>{"race|b"});
  EXPECT_EQ(added.error(), "'" + path + "': line 3: \"<<<<<<< HEAD\" is not a fingerprint");
  EXPECT_EQ(text(), before);
}

TEST_F(BaselineFile, NobodyLosesWhatOthersAdd) {
  constexpr int kProcesses = 4, kEach = 25;
  for (int i = 0; i < kProcesses; ++i)
    if (fork() == 0) {
      bool ok = true;
      for (int n = 0; n < kEach; ++n)
        ok &= static_cast<bool>(Baseline::add_to(
            path, std::vector{"race|" + std::to_string(i) + "." + std::to_string(n)}));
      _exit(ok ? 0 : 1);
    }
  for (int i = 0; i < kProcesses; ++i) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  const auto all = Baseline::load(path);
  ASSERT_TRUE(all) << all.error();
  EXPECT_EQ(all->size(), std::size_t{kProcesses} * kEach);
}

TEST(Fingerprint, DoesNotDependOnWhoCameFirst) {
  TraceBuilder b(3);
  const auto f = b.pc("f<int>()", "/m/a.cc", 1), g = b.pc("g()", "/m/a.cc", 2);
  Problem p = TraceBuilder::problem(FindingKind::race, {1, EventKind::write, f, 0});
  p.other = {2, EventKind::read, g, 0};
  Problem q = TraceBuilder::problem(FindingKind::race, {1, EventKind::read, g, 0});
  q.other = {2, EventKind::write, f, 0};
  View v(b.trace, b.symbols);
  EXPECT_EQ(fingerprint(v, p, "run"), "race|f@a.cc:1|g@a.cc:2");
  EXPECT_EQ(fingerprint(v, q, "run"), fingerprint(v, p, "run"));
}

// The finding at line `line` of a file with this text.
std::string fingerprint_in(const std::string& text, std::uint32_t line) {
  const std::string path = testing::TempDir() + "jostle-fingerprint.cc";
  std::ofstream(path) << text;
  TraceBuilder b(2);
  const Problem p = TraceBuilder::problem(FindingKind::assertion,
                                          {1, EventKind::write, b.pc("f()", path, line), 0});
  View v(b.trace, b.symbols);
  const std::string key = fingerprint(v, p, "run");
  std::filesystem::remove(path);
  return key;
}

TEST(Fingerprint, SurvivesEditsOfOtherLines) {
  const std::string key = fingerprint_in("void f() {\n  assert(x);\n  assert(y);\n}\n", 2);
  EXPECT_EQ(key, "assertion|f@jostle-fingerprint.cc: assert(x);");
  EXPECT_EQ(fingerprint_in("// more\n\nvoid f() {\n\tassert(x);\n}\n", 4), key);
  EXPECT_NE(fingerprint_in("void f() {\n  assert(x);\n  assert(y);\n}\n", 3), key)
      << "another check in the same function";
}

TEST(Fingerprint, WithoutAPlaceItIsTheRunAndTheMessage) {
  TraceBuilder b(1);
  Problem p;
  p.kind = FindingKind::exit_code;
  std::snprintf(p.message, sizeof p.message, "the program ended with exit code 3");
  View v(b.trace, b.symbols);
  EXPECT_EQ(fingerprint(v, p, "bank"), "exit-code|bank: the program ended with exit code 3");
}

TEST(Fingerprint, DeadlocksBySortedPlaces) {
  TraceBuilder b = lock_cycle();
  View v(b.trace, b.symbols);
  const std::string key = fingerprint(v, b.trace.outcome.failure, "run");
  EXPECT_EQ(key, "deadlock|first@locks.cc:6|second@locks.cc:11");
  std::swap(b.trace.blocked[0], b.trace.blocked[1]);
  EXPECT_EQ(fingerprint(v, b.trace.outcome.failure, "run"), key);
}

TEST(Fingerprint, DescribeGathersAllStacks) {
  TraceBuilder b = lock_cycle();
  View v(b.trace, b.symbols);
  const FindingInfo info = describe(v, b.trace.outcome.failure, "run");
  EXPECT_EQ(info.frames.size(), 3u);
  EXPECT_TRUE(suppressed("deadlock:second", info));
}

}  // namespace
}  // namespace jostle::report
