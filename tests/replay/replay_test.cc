// Searches and replays of replay_program, as a user starts them.
#include <gmock/gmock.h>

#include <fstream>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/child.h"

using jostle_test::Child;
using jostle_test::run_child;
using jostle_test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

namespace {

Child run_program(const TemporaryFolder& folder, const std::string& body,
                  const std::string& options = "") {
  std::vector<std::string> environment;
  if (!options.empty()) environment.push_back("JOSTLE_OPTIONS=" + options);
  return run_child({JOSTLE_PROGRAM, body}, environment, folder.path());
}

// The lines "BODY: finding KIND FINGERPRINT at EXECUTION": what must not depend on anything but
// the seed.
std::string findings(const std::string& output) {
  std::istringstream in(output);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (line.find(": finding ") != std::string::npos)
      out += line.substr(0, line.find(" confirmed")) + "\n";
  return out;
}

std::string kind_and_place(const std::string& output) {
  const std::string f = findings(output);
  return f.substr(0, f.find(" at "));
}

std::string schedule_of(const TemporaryFolder& folder, const std::string& output) {
  std::smatch m;
  if (!std::regex_search(output, m, std::regex(" schedule (\\S+)\n"))) return "";
  const std::string path = m[1];
  return path[0] == '/' ? path : folder.path() + "/" + path;
}

struct Case {
  const char* body;
  const char* kind;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.body; }

class Schedule : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    first_ = run_program(folder_, GetParam().body);
    ASSERT_EQ(first_.exit_code, 1) << first_.output;
    ASSERT_THAT(first_.output, HasSubstr(": finding " + std::string(GetParam().kind) + " "));
    ASSERT_THAT(first_.output, HasSubstr("confirmed 1"));
    path_ = schedule_of(folder_, first_.output);
    ASSERT_NE(path_, "") << first_.output;
  }
  TemporaryFolder folder_;
  Child first_;
  std::string path_;
};

TEST_P(Schedule, ReplaysWithTheSameVerdict) {
  const Child c = run_program(folder_, GetParam().body, "replay=" + path_);
  EXPECT_EQ(c.exit_code, 1) << c.output;
  EXPECT_EQ(kind_and_place(c.output), kind_and_place(first_.output));
  EXPECT_THAT(c.output, HasSubstr("(exact)"));
  EXPECT_THAT(c.output, HasSubstr("executions 1\n"));
}

TEST_P(Schedule, ReplaysInOtherSurroundings) {
  for (int i = 0; i < 5; ++i) {
    const Child c = run_child({JOSTLE_PROGRAM, GetParam().body},
                              {"JOSTLE_OPTIONS=replay=" + path_,
                               "PADDING=" + std::string(static_cast<std::size_t>(i * 5001), 'x')},
                              i % 2 ? "/" : "/usr");
    EXPECT_EQ(c.exit_code, 1) << c.output;
    EXPECT_EQ(kind_and_place(c.output), kind_and_place(first_.output)) << c.output;
    EXPECT_THAT(c.output, HasSubstr("(exact)"));
  }
}

TEST_P(Schedule, IsSkippedByAnotherRun) {
  const Child c = run_program(folder_, "queue", "replay=" + path_);
  EXPECT_EQ(c.exit_code, 4) << c.output;
  EXPECT_THAT(c.output, HasSubstr("queue: executions 0 skipped"));
  EXPECT_THAT(c.output, HasSubstr("which did not run: nothing was executed"));
}

// The right run is found among others.
TEST_P(Schedule, IsFollowedByItsRunOnly) {
  const Child c = run_child({JOSTLE_PROGRAM, "queue", GetParam().body, "timers"},
                            {"JOSTLE_OPTIONS=replay=" + path_}, folder_.path());
  EXPECT_EQ(c.exit_code, 1) << c.output;
  EXPECT_THAT(c.output, HasSubstr("queue: executions 0 skipped"));
  EXPECT_THAT(c.output, HasSubstr("timers: executions 0 skipped"));
  EXPECT_THAT(c.output, HasSubstr(std::string(GetParam().body) + ": executions 1\n"));
}

TEST_P(Schedule, DamagedIsAnError) {
  std::ifstream in(path_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(whole.size(), 40u);
  const std::string damaged = folder_.path() + "/damaged.schedule";
  const std::string contents[] = {"", "hello\n", whole.substr(0, whole.size() / 2),
                                  whole.substr(0, whole.size() - 1) + "garbage here\n",
                                  whole.substr(10)};
  for (const std::string& text : contents) {
    std::ofstream(damaged, std::ios::binary | std::ios::trunc) << text;
    const Child c = run_program(folder_, GetParam().body, "replay=" + damaged);
    EXPECT_EQ(c.exit_code, 1) << c.output;
    EXPECT_THAT(c.output, HasSubstr("error: ")) << "contents:\n" << text;
    EXPECT_THAT(c.output, HasSubstr("damaged.schedule"));
    EXPECT_THAT(c.output, HasSubstr("executions 0"));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Schedule,
                         testing::Values(Case{"lost_update", "assertion"},
                                         Case{"rare", "assertion"}, Case{"deadlock", "deadlock"},
                                         Case{"crash", "crash"}, Case{"race", "race"}),
                         [](const auto& i) { return i.param.body; });

TEST(Replay, MissingFileIsAnError) {
  TemporaryFolder folder;
  const Child c = run_program(folder, "lost_update", "replay=/nowhere/at.all");
  EXPECT_EQ(c.exit_code, 1);
  EXPECT_THAT(c.output, HasSubstr("/nowhere/at.all"));
}

// The file carries what it was found with, so that the command need not.
TEST(Replay, BringsItsOwnSettings) {
  TemporaryFolder folder;
  for (const char* options :
       {"preempt=all", "preempt=sync", "spurious=2", "weak-cas=0:timeouts=0", "backend=threads",
        "isolation=fork", "jobs=2", "strategy=dfs", "minimize=false"}) {
    const Child c = run_program(folder, "lost_update", options);
    ASSERT_EQ(c.exit_code, 1) << options << "\n" << c.output;
    const std::string path = schedule_of(folder, c.output);
    const Child again = run_program(folder, "lost_update", "replay=" + path);
    EXPECT_EQ(again.exit_code, 1) << options << "\n" << again.output;
    EXPECT_THAT(again.output, HasSubstr("(exact)")) << options;
    EXPECT_EQ(kind_and_place(again.output), kind_and_place(c.output)) << options;
  }
}

// --- the same seed, the same search --------------------------------------------------------------

class Reproducible : public testing::TestWithParam<const char*> {};

TEST_P(Reproducible, WithAnyNumberOfJobs) {
  TemporaryFolder folder;
  for (const char* seed : {"1", "2", "3"}) {
    const std::string options =
        std::string("keep-going:minimize=false:executions=600:seed=") + seed + ":jobs=";
    const Child one = run_program(folder, GetParam(), options + "1");
    const Child two = run_program(folder, GetParam(), options + "2");
    const Child three = run_program(folder, GetParam(), options + "3");
    EXPECT_EQ(findings(one.output), findings(two.output)) << "seed " << seed;
    EXPECT_EQ(findings(one.output), findings(three.output)) << "seed " << seed;
  }
}

TEST_P(Reproducible, InAnotherProcess) {
  TemporaryFolder folder;
  const Child a = run_program(folder, GetParam(), "seed=42:minimize=false");
  const Child b =
      run_child({JOSTLE_PROGRAM, GetParam()},
                {"JOSTLE_OPTIONS=seed=42:minimize=false", "PADDING=" + std::string(9000, 'x')},
                folder.path());
  EXPECT_EQ(findings(a.output), findings(b.output));
}

TEST_P(Reproducible, WithAProcessPerExecution) {
  TemporaryFolder folder;
  const Child none = run_program(folder, GetParam(), "seed=5:minimize=false:executions=300");
  const Child fork =
      run_program(folder, GetParam(), "seed=5:minimize=false:executions=300:isolation=fork");
  EXPECT_EQ(findings(none.output), findings(fork.output)) << fork.output;
}

TEST_P(Reproducible, OnKernelThreads) {
  TemporaryFolder folder;
  const Child fibers = run_program(folder, GetParam(), "seed=5:minimize=false:executions=300");
  const Child threads =
      run_program(folder, GetParam(), "seed=5:minimize=false:executions=300:backend=threads");
  EXPECT_EQ(findings(fibers.output), findings(threads.output)) << threads.output;
}

INSTANTIATE_TEST_SUITE_P(Bodies, Reproducible,
                         testing::Values("lost_update", "rare", "deadlock", "crash", "race",
                                         "queue", "timers", "heap_locks"),
                         [](const auto& i) { return std::string(i.param); });

}  // namespace
