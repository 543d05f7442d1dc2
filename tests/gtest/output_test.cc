// What a developer sees in the terminal when tests that use Jostle run.
#include <gmock/gmock.h>

#include <fstream>
#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/child.h"

using jostle_test::Child;
using jostle_test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

namespace {

// ctest takes a test whose output contains GoogleTest's mark for skipped tests as skipped itself:
// a failure here, which shows the child's output, would not count. So the mark is changed.
Child run_child(const std::vector<std::string>& argv,
                const std::vector<std::string>& environment = {}, const std::string& in = "") {
  Child c = jostle_test::run_child(argv, environment, in);
  for (std::size_t at; (at = c.output.find("[  SKIPPED ]")) != std::string::npos;)
    c.output.replace(at, 12, "[  skipped ]");
  return c;
}

Child run_in(const TemporaryFolder& folder, const std::string& program,
             std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
  arguments.insert(arguments.begin(), program);
  return run_child(arguments, environment, folder.path());
}

Child run_failing(const TemporaryFolder& folder, const std::string& filter,
                  std::vector<std::string> more = {}, std::vector<std::string> environment = {}) {
  more.insert(more.begin(), "--gtest_filter=" + filter);
  return run_in(folder, JOSTLE_GTEST_FAILING, more, environment);
}

// The command that a report ends with: its lines joined.
std::string replay_command(const std::string& output) {
  const std::size_t at = output.find("To replay it:\n");
  if (at == std::string::npos) return "";
  std::string command;
  std::size_t begin = at + 14;
  for (;;) {
    const std::size_t end = output.find('\n', begin);
    std::string line = output.substr(begin, end - begin);
    begin = end + 1;
    const bool more = line.ends_with('\\');
    command += line.substr(0, line.size() - (more ? 1 : 0)) + " ";
    if (!more || end == std::string::npos) return command;
  }
}

// --- passing -------------------------------------------------------------------------------

TEST(Passing, AllInOneProcess) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_GTEST_PASSING, {});
  EXPECT_EQ(c.exit_code, 0) << c.output;
  EXPECT_THAT(c.output, HasSubstr("[  PASSED  ]"));
  EXPECT_THAT(c.output, Not(HasSubstr("jostle: error")));
  EXPECT_EQ(c.times("[  skipped ] Plain.Skipped"), 2)
      << c.output;  // when it ran, and in the summary
  EXPECT_EQ(c.times("[  skipped ] SkipsInSetUp.NeverRuns"), 2) << c.output;
}

TEST(Passing, FilterSelects) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_GTEST_PASSING, {"--gtest_filter=Counted.*-*After"});
  EXPECT_EQ(c.exit_code, 0) << c.output;
  EXPECT_THAT(c.output, HasSubstr("3 tests from 1 test suite ran"));
  EXPECT_THAT(c.output, HasSubstr("Counted.RebuiltForEachExecution"));
}

TEST(Passing, Lists) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_GTEST_PASSING, {"--gtest_list_tests"});
  EXPECT_EQ(c.exit_code, 0);
  EXPECT_THAT(c.output, HasSubstr("Few/Threads.\n  AllAreCounted/0  # GetParam() = 1\n"));
  EXPECT_THAT(c.output, HasSubstr("Named/Threads.\n  AllAreCounted/With4"));
  EXPECT_THAT(
      c.output,
      HasSubstr("Counted.\n  OrdinaryBefore\n  RebuiltForEachExecution\n  OrdinaryAfter\n"));
}

TEST(Passing, Repeat) {
  TemporaryFolder folder;
  const Child c =
      run_in(folder, JOSTLE_GTEST_PASSING, {"--gtest_repeat=3", "--gtest_filter=Plain.*:Few/*"});
  EXPECT_EQ(c.exit_code, 0) << c.output;
  EXPECT_EQ(c.times("[       OK ] Plain.Locked"), 3) << c.output;
}

TEST(Passing, Shuffle) {
  TemporaryFolder folder;
  const Child c =
      run_in(folder, JOSTLE_GTEST_PASSING,
             {"--gtest_shuffle", "--gtest_random_seed=7", "--gtest_filter=Plain.*:*/Threads.*"});
  EXPECT_EQ(c.exit_code, 0) << c.output;
}

TEST(Passing, Shards) {
  TemporaryFolder folder;
  int ran = 0;
  for (int i = 0; i < 3; ++i) {
    const Child c = run_in(folder, JOSTLE_GTEST_PASSING, {"--gtest_filter=Plain.*:*/Threads.*"},
                           {"GTEST_TOTAL_SHARDS=3", "GTEST_SHARD_INDEX=" + std::to_string(i)});
    EXPECT_EQ(c.exit_code, 0) << c.output;
    ran += c.times("[       OK ]") + c.times("[  skipped ] Plain.Skipped (");
  }
  EXPECT_EQ(ran, 6 + 8);
}

TEST(Passing, WritesNoFiles) {
  TemporaryFolder folder;
  run_in(folder, JOSTLE_GTEST_PASSING, {"--gtest_filter=Plain.*"});
  const Child c = run_child({"/bin/ls", "-A", folder.path()});
  EXPECT_EQ(c.output, "");
}

// --- failing -------------------------------------------------------------------------------

struct Case {
  const char* test;
  const char* kind;
  const char* text;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.test; }

class Failing : public testing::TestWithParam<Case> {};

TEST_P(Failing, IsReportedOnceAndReplays) {
  const Case& expected = GetParam();
  TemporaryFolder folder;
  const Child c = run_failing(folder, expected.test);
  EXPECT_EQ(c.exit_code, 1) << c.output;
  EXPECT_EQ(c.times("To replay it:"), 1) << "reported once\n" << c.output;
  EXPECT_EQ(c.times(": Failure\n"), 1) << "one failure for GoogleTest\n" << c.output;
  EXPECT_THAT(c.output, HasSubstr("[  FAILED  ] " + std::string(expected.test)));
  EXPECT_THAT(c.output, HasSubstr(std::string(expected.kind) + ": "));
  EXPECT_THAT(c.output, HasSubstr(expected.text));
  EXPECT_THAT(c.output, HasSubstr("failing.cc"));
  EXPECT_THAT(c.output, Not(HasSubstr("seen once"))) << "confirmed";

  // The command can be pasted into a shell, and fails in the same way.
  const std::string command = replay_command(c.output);
  ASSERT_THAT(command, HasSubstr("gtest_failing"));
  const Child again = run_child({"/bin/sh", "-c", command}, {}, folder.path());
  EXPECT_EQ(again.exit_code, 1) << command << "\n" << again.output;
  EXPECT_THAT(again.output,
              HasSubstr("replay reproduced the " + std::string(expected.kind) + " (exact)"));
  EXPECT_THAT(again.output, HasSubstr(expected.text));
  EXPECT_THAT(again.output, HasSubstr("1 test from 1 test suite ran"))
      << "the command selects the test";
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Failing,
    testing::Values(Case{"Failing.Expect", "assertion", "an update was lost"},
                    Case{"Failing.Assert", "assertion", "Expected equality"},
                    Case{"Failing.CAssert", "assertion", "assertion `n == 2` failed"},
                    Case{"Failing.OtherThread", "assertion", "on a thread"},
                    Case{"Failing.Exception", "exception", "lost"},
                    Case{"Failing.Deadlock", "deadlock", "wait"},
                    Case{"Failing.Race", "race", "unordered"},
                    Case{"Fixture.LostUpdate", "assertion", "Expected equality"},
                    Case{"Values/Parameter.LostUpdate/1", "assertion", "Expected: (n) != (1)"}),
    [](const auto& i) {
      return std::regex_replace(std::string(i.param.test), std::regex("[^A-Za-z0-9]"), "");
    });

// --- nothing to see --------------------------------------------------------------------------

TEST(Nothing, WasExecuted) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_GTEST_PASSING, {"--gtest_filter=Plain.Locked"},
                         {"JOSTLE_EXECUTIONS=0"});
  EXPECT_EQ(c.exit_code, 1);
  EXPECT_EQ(c.times("nothing was executed"), 1) << c.output;
  const Child plain = run_in(folder, JOSTLE_PLAIN_MAIN, {"fixed"}, {"JOSTLE_EXECUTIONS=0"});
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_EQ(plain.times("nothing was executed"), 1) << plain.output;
}

TEST(Nothing, IsSaidTwice) {
  TemporaryFolder folder;
  for (const char* wrong : {"JOSTLE_SEED=abc", "JOSTLE_OPTIONS=nonsense=1"}) {
    const Child c = run_in(folder, JOSTLE_GTEST_PASSING, {"--gtest_filter=Plain.Locked"}, {wrong});
    EXPECT_EQ(c.exit_code, 1);
    EXPECT_EQ(c.times("jostle: error:"), 1) << c.output;
    const Child plain = run_in(folder, JOSTLE_PLAIN_MAIN, {"fixed"}, {wrong});
    EXPECT_EQ(plain.exit_code, 1);
    EXPECT_EQ(plain.times("jostle: error:"), 1) << plain.output;
  }
}

std::string schedule_in(const std::string& output) {
  const std::size_t at = output.find("JOSTLE_REPLAY=");
  return at == std::string::npos ? "" : output.substr(at, output.find(' ', at) - at);
}

TEST(Replay, OfATestThatDoesNotRun) {
  TemporaryFolder folder;
  const Child c = run_failing(folder, "Failing.Expect");
  const std::string replay = schedule_in(c.output);
  const Child other = run_failing(folder, "Failing.Assert", {}, {replay});
  EXPECT_EQ(other.exit_code, 4) << other.output;
  EXPECT_THAT(other.output, HasSubstr("'Failing.Assert' was not executed: the schedule is for "
                                      "'Failing.Expect'"));
  EXPECT_THAT(other.output, HasSubstr("jostle: error: the schedule is for 'Failing.Expect', which "
                                      "did not run: nothing was executed"));
  const Child plain = run_in(folder, JOSTLE_PLAIN_MAIN, {"fixed"}, {replay});
  EXPECT_EQ(plain.exit_code, 4) << plain.output;
  EXPECT_THAT(plain.output, HasSubstr("nothing was executed"));
  // The others do not matter where the one that it is for runs.
  const Child all = run_failing(folder, "Failing.Assert:Failing.Expect", {}, {replay});
  EXPECT_EQ(all.exit_code, 1) << all.output;
  EXPECT_THAT(all.output, HasSubstr("replay reproduced the assertion"));
  EXPECT_THAT(all.output, Not(HasSubstr("nothing was executed")));
}

// The program was mended without being built anew: it does what its environment says.
TEST(Replay, ThatDoesNotFailSaysSo) {
  TemporaryFolder folder;
  const Child c = run_failing(folder, "Mended.Update");
  EXPECT_EQ(c.exit_code, 1) << c.output;
  const Child again = run_failing(folder, "Mended.Update", {}, {schedule_in(c.output), "MENDED=1"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(again.times("replay did not fail (exact)"), 1) << again.output;
}

TEST(FailingSetUp, KeepsTheBodyFromRunning) {
  TemporaryFolder folder;
  const Child c = run_failing(folder, "BadSetUp.NeverRuns");
  EXPECT_EQ(c.exit_code, 1);
  EXPECT_THAT(c.output, HasSubstr("set-up failed"));
  EXPECT_THAT(c.output, Not(HasSubstr("the body ran")));
}

TEST(FailingProgram, OthersStillPass) {
  TemporaryFolder folder;
  const Child c = run_failing(folder, "*");
  EXPECT_EQ(c.exit_code, 1);
  for (const char* passed :
       {"Fixture.Fine", "Other.Passes", "Other.AlsoPasses", "Values/Parameter.LostUpdate/0"})
    EXPECT_THAT(c.output, HasSubstr("[       OK ] " + std::string(passed)));
  EXPECT_THAT(c.output, HasSubstr("12 FAILED TESTS"));
}

TEST(FailingProgram, TwoRunsInOneTestReplayApart) {
  TemporaryFolder folder;
  const Child c = run_failing(folder, "RunInside.TwoRuns");
  EXPECT_EQ(c.exit_code, 1);
  EXPECT_EQ(c.times("To replay it:"), 2) << c.output;
  const std::string first = replay_command(c.output);
  const std::string second = replay_command(c.output.substr(c.output.find("second run\n")));
  EXPECT_NE(first, second);
  const Child a = run_child({"/bin/sh", "-c", first}, {}, folder.path());
  const Child b = run_child({"/bin/sh", "-c", second}, {}, folder.path());
  EXPECT_EQ(a.exit_code, 1) << a.output;
  EXPECT_EQ(b.exit_code, 1) << b.output;
  EXPECT_EQ(a.times("replay reproduced"), 1) << a.output;
  EXPECT_EQ(b.times("replay reproduced"), 1) << b.output;
  EXPECT_THAT(a.output, Not(HasSubstr("second run")));
  EXPECT_THAT(b.output, Not(HasSubstr("first run")));
}

// The schedule of a test repeated by GoogleTest replays without the repetition.
TEST(FailingProgram, RepeatedTestReplays) {
  TemporaryFolder folder;
  const Child c = run_failing(folder, "Failing.Expect", {"--gtest_repeat=2"});
  EXPECT_EQ(c.exit_code, 1);
  ASSERT_EQ(c.times("To replay it:"), 2) << c.output;
  const std::string second =
      replay_command(c.output.substr(c.output.find("Repeating all tests (iteration 2)")));
  const Child again = run_child({"/bin/sh", "-c", second}, {}, folder.path());
  EXPECT_EQ(again.exit_code, 1) << second << "\n" << again.output;
}

TEST(FailingProgram, XmlHasTheReport) {
  TemporaryFolder folder;
  run_failing(folder, "Failing.Expect", {"--gtest_output=xml:result.xml"});
  const Child c = run_child({"/bin/cat", folder.path() + "/result.xml"});
  EXPECT_THAT(c.output, HasSubstr("failures=\"1\""));
  EXPECT_THAT(c.output, HasSubstr("To replay it:"));
}

TEST(FailingProgram, BreakOnFailureDoesNotBreakTheSearch) {
  TemporaryFolder folder;
  const Child c =
      run_failing(folder, "Failing.Expect", {"--gtest_throw_on_failure=0", "--gtest_color=no"});
  EXPECT_EQ(c.exit_code, 1) << c.output;
}

TEST(FailingProgram, Off) {
  TemporaryFolder folder;
  // Natively the two threads hardly ever overlap; whatever happens, Jostle says nothing.
  const Child c = run_failing(folder, "Other.AlsoPasses", {}, {"JOSTLE_OPTIONS=off"});
  EXPECT_EQ(c.exit_code, 0) << c.output;
  EXPECT_THAT(c.output, Not(HasSubstr("jostle")));
}

TEST(FailingProgram, WrongOptionFailsTheTest) {
  TemporaryFolder folder;
  const Child c = run_failing(folder, "Other.AlsoPasses", {}, {"JOSTLE_OPTIONS=stategy=pct"});
  EXPECT_EQ(c.exit_code, 1) << c.output;
  EXPECT_THAT(c.output, HasSubstr("did you mean 'strategy'?"));
}

// --- without GoogleTest ---------------------------------------------------------------------

TEST(PlainMain, PassesSilently) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_PLAIN_MAIN, {"fixed"});
  EXPECT_EQ(c.exit_code, 0);
  EXPECT_EQ(c.output, "executions 1000 findings 0 \n");
}

TEST(PlainMain, FailsOnceAndReplays) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_PLAIN_MAIN, {"broken"});
  EXPECT_EQ(c.exit_code, 1);
  EXPECT_EQ(c.times("To replay it:"), 1) << c.output;
  EXPECT_THAT(c.output, HasSubstr("findings 1"));
  const std::string command = replay_command(c.output);
  const Child again = run_child({"/bin/sh", "-c", command}, {}, folder.path());
  EXPECT_EQ(again.exit_code, 1) << command << "\n" << again.output;
  EXPECT_THAT(again.output, HasSubstr("replay reproduced the assertion (exact)"));
}

#ifdef JOSTLE_CATCH2_PROGRAM
TEST(Catch2, Passes) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_CATCH2_PROGRAM, {"fixed counter"});
  EXPECT_EQ(c.exit_code, 0) << c.output;
  const Child s = run_in(folder, JOSTLE_CATCH2_PROGRAM, {"[sections]"});
  EXPECT_EQ(s.exit_code, 0) << s.output;
  EXPECT_THAT(s.output, HasSubstr("2 assertions in 1 test case"));
}

TEST(Catch2, FailsOnceAndReplays) {
  TemporaryFolder folder;
  const Child c = run_in(folder, JOSTLE_CATCH2_PROGRAM, {"broken counter"});
  EXPECT_EQ(c.exit_code, 1) << c.output;
  EXPECT_EQ(c.times("To replay it:"), 1) << c.output;
  // Which test case to run, Catch2 has not told: the variable is enough, other runs skip.
  const std::string command = replay_command(c.output);
  const Child again = run_child({"/bin/sh", "-c", command}, {}, folder.path());
  EXPECT_NE(again.exit_code, 0) << command << "\n" << again.output;
  EXPECT_THAT(again.output, HasSubstr("replay reproduced the assertion (exact)"));
  EXPECT_THAT(again.output, HasSubstr("1 failed")) << "the other test cases are skipped by name";
}
#endif

}  // namespace
