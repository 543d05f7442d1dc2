// What becomes of a failure, with a fake in the place of fresh processes.
#include "explore/findings.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "explore/fake_executor.h"

namespace jostle::explore {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

Problem assertion(std::uint32_t line, const char* message = "n == 2") {
  Problem p;
  p.kind = FindingKind::assertion;
  p.line = line;
  std::snprintf(p.file, sizeof p.file, "account.cc");
  std::snprintf(p.message, sizeof p.message, "%s", message);
  return p;
}

TEST(VerdictOnRest, DoesNotDenyWhatWasFound) {
  Result r;
  EXPECT_EQ(verdict_on_rest(r, false, ""), "none failed");
  EXPECT_EQ(verdict_on_rest(r, false, "a.cc"),
            "none failed, provided that no code of a.cc shares memory between threads");
  EXPECT_EQ(verdict_on_rest(r, true, ""), "none failed but for races that are left out");
  r.accepted.emplace_back();
  EXPECT_EQ(verdict_on_rest(r, true, ""), "no other failure");
  r.findings.swap(r.accepted);
  EXPECT_EQ(verdict_on_rest(r, true, ""), "no other failure");
}

class FindingsTest : public testing::Test {
 protected:
  FindingsTest() {
    std::string path = testing::TempDir() + "jostle-findings-XXXXXX";
    folder = mkdtemp(path.data());
    session.name = "Account.Test";
    session.options.output = folder + "/out";
    session.options.color = Options::Color::never;
    executor.assignment().clear();
  }
  ~FindingsTest() override { fs::remove_all(folder); }

  std::size_t files() const {
    std::size_t n = 0;
    if (fs::exists(session.options.output))
      for ([[maybe_unused]] const auto& e : fs::directory_iterator(session.options.output)) ++n;
    return n;
  }
  Plan plan() const {
    Plan p;
    p.strategy = static_cast<std::uint16_t>(find_strategy("random"));
    p.seed = 1;
    return p;
  }

  std::string folder;
  Session session;
  Problem reproduced = assertion(3);  // what a fresh process shows
  FakeExecutor executor{FakeProgram::of_lengths({3, 3}),
                        [this](const auto&, Problem& p) { p = reproduced; }};
  Result result;
};

TEST_F(FindingsTest, ConfirmedAndSaved) {
  Findings findings(session, executor);
  ASSERT_TRUE(findings.load_filters());
  EXPECT_TRUE(findings.add_failure(result, plan(), assertion(3), 17));
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding& f = result.findings[0];
  EXPECT_TRUE(f.confirmed);
  EXPECT_EQ(f.kind, "assertion");
  EXPECT_EQ(f.line, 3u);
  EXPECT_EQ(f.execution, 17u);
  EXPECT_TRUE(fs::exists(f.schedule)) << f.schedule;
  EXPECT_THAT(f.report, HasSubstr("JOSTLE_REPLAY=" + f.schedule));
  EXPECT_EQ(files(), 1u);
}

TEST_F(FindingsTest, TheSameFailureOnce) {
  Findings findings(session, executor);
  ASSERT_TRUE(findings.load_filters());
  EXPECT_TRUE(findings.add_failure(result, plan(), assertion(3), 1));
  const int runs = executor.runs;
  EXPECT_FALSE(findings.add_failure(result, plan(), assertion(3, "other values"), 2));
  EXPECT_EQ(executor.runs, runs) << "what is known needs no confirmation";
  reproduced = assertion(4);
  EXPECT_TRUE(findings.add_failure(result, plan(), assertion(4), 3));
  EXPECT_EQ(result.findings.size(), 2u);
}

TEST_F(FindingsTest, NotReproduced) {
  reproduced = {};
  Findings findings(session, executor);
  ASSERT_TRUE(findings.load_filters());
  EXPECT_TRUE(findings.add_failure(result, plan(), assertion(3), 1));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_FALSE(result.findings[0].confirmed);
  EXPECT_THAT(result.findings[0].report, HasSubstr("reproduced 0 of 5"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(FindingsTest, Suppressed) {
  std::ofstream(folder + "/rules") << "assertion:file=account.cc\n";
  session.options.suppressions = folder + "/rules";
  Findings findings(session, executor);
  ASSERT_TRUE(findings.load_filters());
  EXPECT_FALSE(findings.add_failure(result, plan(), assertion(3), 1));
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(files(), 0u);
}

TEST_F(FindingsTest, KnownFromTheBaseline) {
  std::string fingerprint;
  {
    Findings findings(session, executor);
    ASSERT_TRUE(findings.load_filters());
    findings.add_failure(result, plan(), assertion(3), 1);
    fingerprint = result.findings.at(0).fingerprint;
    result = {};
  }
  std::ofstream(folder + "/baseline") << "jostle-baseline 2\n" << fingerprint << "\n";
  fs::remove_all(session.options.output);
  session.options.baseline = folder + "/baseline";
  Findings findings(session, executor);
  ASSERT_TRUE(findings.load_filters());
  EXPECT_FALSE(findings.add_failure(result, plan(), assertion(3), 5));
  EXPECT_FALSE(findings.add_failure(result, plan(), assertion(3), 6));
  ASSERT_EQ(result.accepted.size(), 1u) << "is told once";
  EXPECT_TRUE(result.accepted[0].known);
  EXPECT_EQ(result.accepted[0].execution, 5u);
  EXPECT_EQ(result.accepted[0].report, "assertion at account.cc:3: n == 2\n");
  EXPECT_EQ(files(), 0u) << "nothing is kept of what is known";
  reproduced = assertion(4);
  EXPECT_TRUE(findings.add_failure(result, plan(), assertion(4), 7));
  EXPECT_EQ(result.findings.size(), 1u);
}

TEST_F(FindingsTest, KnownAndNotReproduced) {
  std::ofstream(folder + "/baseline") << "jostle-baseline 2\nassertion|?@account.cc:3\n";
  session.options.baseline = folder + "/baseline";
  reproduced = {};
  Findings findings(session, executor);
  ASSERT_TRUE(findings.load_filters());
  EXPECT_FALSE(findings.add_failure(result, plan(), assertion(3), 1));
  EXPECT_EQ(result.accepted.size(), 1u);
}

TEST_F(FindingsTest, UnusableFilters) {
  session.options.suppressions = folder + "/missing";
  EXPECT_THAT(Findings(session, executor).load_filters().error(), HasSubstr("/missing"));
  session.options.suppressions = "";
  session.options.baseline = folder + "/missing too";
  EXPECT_THAT(Findings(session, executor).load_filters().error(), HasSubstr("/missing too"));
  session.options.update_baseline = true;
  EXPECT_TRUE(Findings(session, executor).load_filters()) << "it is going to be made";
  session.options.baseline = "";
  EXPECT_THAT(Findings(session, executor).load_filters().error(),
              HasSubstr("needs option baseline"));
}

TEST_F(FindingsTest, NowhereToSaveIt) {
  const std::ofstream made(folder + "/file");
  session.options.output = folder + "/file";
  Findings findings(session, executor);
  ASSERT_TRUE(findings.load_filters());
  EXPECT_TRUE(findings.add_failure(result, plan(), assertion(3), 1));
  const Finding& f = result.findings.at(0);
  EXPECT_EQ(f.schedule, "");
  EXPECT_TRUE(f.confirmed);
  EXPECT_THAT(f.report, HasSubstr("n == 2"));
  EXPECT_THAT(f.report, HasSubstr("the schedule could not be saved: cannot make the directory"));
  EXPECT_THAT(f.report, HasSubstr("JOSTLE_OUTPUT=DIRECTORY"));
  EXPECT_THAT(f.report, Not(HasSubstr("To replay it")));
}

}  // namespace
}  // namespace jostle::explore
