// The search, with made-up executions instead of processes: what an execution shows is a function
// of its plan.
#include "explore/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "explore/fake_executor.h"

namespace jostle::explore {
namespace {

struct Shown {
  std::uint32_t behaviour = 0;
  int race = -1;     // which of some pairs of places
  int failure = -1;  // which of some lines
};

Shown shown_by(const Plan& p) {
  const std::uint64_t h = mix64(p.seed + 1);
  Shown s;
  s.behaviour = static_cast<std::uint32_t>(h % 300) * (p.strategy + 1u) % 4096;
  if (h >> 20 & 1 && (h >> 24) % 40 == 0) s.race = static_cast<int>((h >> 40) % 6);
  if ((h >> 32) % 150 == 0) s.failure = static_cast<int>((h >> 48) % 4);
  return s;
}

Problem failure(int which) {
  Problem p;
  p.kind = FindingKind::assertion;
  p.line = static_cast<std::uint32_t>(100 + which);
  std::snprintf(p.file, sizeof p.file, "body.cc");
  return p;
}

Problem race(int which) {
  Problem p;
  p.kind = FindingKind::race;
  p.place.pc = 0x1000u + static_cast<std::uint64_t>(which);
  p.other.pc = 0x2000u + static_cast<std::uint64_t>(which);
  p.place.kind = p.other.kind = EventKind::write;
  return p;
}

// `jobs` processes that divide a round among them as workers do, and report a race once each.
class FakeRunner final : public Runner {
 public:
  FakeRunner(std::uint32_t jobs, bool failures) : failures_(failures), reported_(jobs) {
    for (std::uint32_t i = 0; i < jobs; ++i)
      shares_.push_back(static_cast<Share*>(map_pages(sizeof(Share))));
  }
  FakeRunner(const FakeRunner&) = delete;
  FakeRunner& operator=(const FakeRunner&) = delete;
  ~FakeRunner() override {
    for (Share* s : shares_) munmap(s, sizeof(Share));
  }

  std::vector<Share*> run(const Round& round) override {
    log << "round " << round.first << "+" << round.count << " length " << round.length;
    for (std::uint32_t i = 0; i < round.arms; ++i) log << " " << round.weight[i];
    for (std::uint32_t i = 0; i < round.promoted_count; ++i) log << " @" << round.promoted[i];
    log << "\n";
    const auto jobs = static_cast<std::uint32_t>(shares_.size());
    for (std::uint32_t w = 0; w < jobs; ++w) {
      shares_[w]->clear();
      if (round.recheck_races) reported_[w].clear();
      for (std::uint64_t i = round.first; i < round.first + round.count; ++i)
        if (i % jobs == w && !execute(round, i, *shares_[w], reported_[w])) break;
    }
    // They arrive in any order.
    std::vector<Share*> out = shares_;
    std::reverse(out.begin(), out.end());
    return out;
  }
  void learned(const std::vector<std::uint32_t>& behaviours) override {
    log << "learned " << behaviours.size();
    for (const std::uint32_t b : behaviours) {
      log << " " << b;
      known_.insert(b);
    }
    log << "\n";
  }

  std::ostringstream log;

 private:
  bool execute(const Round& round, std::uint64_t i, Share& s, std::set<int>& reported) {
    const Plan p = round.plan(i);
    const Shown shown = shown_by(p);
    ++s.executed;
    if (i == round.first) s.length = 20 + static_cast<std::uint32_t>(p.seed % 7);
    if (!known_.contains(shown.behaviour)) s.fresh[s.fresh_count++] = {i, shown.behaviour};
    if (shown.race >= 0 && reported.insert(shown.race).second)
      s.races[s.race_count++] = {p, race(shown.race)};
    if (!failures_ || shown.failure < 0) return true;
    s.failed = true;
    s.failure_plan = p;
    s.failure = failure(shown.failure);
    return false;
  }

  bool failures_;
  std::vector<Share*> shares_;
  std::vector<std::set<int>> reported_;
  std::set<std::uint32_t> known_;
};

class SearchTest : public testing::Test {
 protected:
  SearchTest() {
    std::string path = testing::TempDir() + "jostle-search-XXXXXX";
    folder = mkdtemp(path.data());
    session.options.output = folder;
    session.options.executions = 3000;
    session.settings.preempt = Preempt::race;
  }
  ~SearchTest() override { std::filesystem::remove_all(folder); }

  struct Done {
    Result result;
    std::string log;
    std::string findings() const {
      std::string s;
      for (const Finding& f : result.findings)
        s += f.kind + ":" + std::to_string(f.line) + "@" + std::to_string(f.execution) + " ";
      return s;
    }
  };
  // A fresh process shows the same failure: the plan leads to it.
  Done search(std::uint32_t jobs, bool failures) {
    FakeRunner runner(jobs, failures);
    FakeExecutor* self = nullptr;
    FakeExecutor executor(FakeProgram::of_lengths({1}), [&](const auto&, Problem& p) {
      const Shown s = shown_by(self->assignment().plan);
      if (s.failure >= 0) p = failure(s.failure);
    });
    self = &executor;
    Search s(session, executor, runner, *Portfolio::make("portfolio", 3));
    Done d;
    s.go(d.result);
    d.log = runner.log.str();
    return d;
  }

  std::string folder;
  Session session;
};

TEST_F(SearchTest, ExecutesWhatWasAskedFor) {
  const Done d = search(1, false);
  EXPECT_EQ(d.result.executions, 3000u);
  EXPECT_EQ(d.log.find("round 0+8 "), 0u) << d.log;
  EXPECT_NE(d.log.find("\nround 8+16 "), std::string::npos) << d.log;
}

TEST_F(SearchTest, RacesArePromotedAndReported) {
  const Done d = search(1, false);
  // Made-up places have no names, and reports are told apart by names: one is left.
  EXPECT_EQ(d.findings().find("race:"), 0u) << d.findings();
  const std::string last = d.log.substr(d.log.rfind("round "));
  for (int i = 0; i < 6; ++i) {
    EXPECT_NE(last.find(" @" + std::to_string(0x1000 + i)), std::string::npos) << last;
    EXPECT_NE(last.find(" @" + std::to_string(0x2000 + i)), std::string::npos) << last;
  }
}

TEST_F(SearchTest, NothingIsPromotedWhereOnlySynchronisationCounts) {
  session.settings.preempt = Preempt::sync;
  EXPECT_EQ(search(1, false).log.find(" @"), std::string::npos);
}

TEST_F(SearchTest, TheFirstFailureEndsIt) {
  std::uint64_t first = 0;
  Round round;
  round.seed = mix64(session.options.seed);
  while (shown_by(round.plan(first)).failure < 0) ++first;  // the seed does not depend on the arm
  const Done d = search(3, true);
  EXPECT_EQ(d.result.executions, first + 1);
  ASSERT_FALSE(d.result.findings.empty());
  EXPECT_EQ(d.result.findings[0].execution, first + 1);
}

TEST_F(SearchTest, TheSameWithAnyNumberOfProcesses) {
  for (const bool failures : {false, true})
    for (const bool keep_going : {false, true}) {
      session.options.keep_going = keep_going;
      const Done one = search(1, failures);
      for (const std::uint32_t jobs : {2u, 3u, 8u}) {
        const Done more = search(jobs, failures);
        EXPECT_EQ(one.log, more.log) << jobs;
        EXPECT_EQ(one.findings(), more.findings()) << jobs;
        EXPECT_EQ(one.result.executions, more.result.executions) << jobs;
      }
    }
}

TEST_F(SearchTest, KeepGoingCollectsEveryFailureOnce) {
  session.options.keep_going = true;
  const Done d = search(2, true);
  EXPECT_EQ(d.result.executions, 3000u);
  int failures = 0;
  for (const Finding& f : d.result.findings) failures += f.kind == "assertion";
  EXPECT_EQ(failures, 4) << d.findings();
}

TEST_F(SearchTest, AnotherSeedIsAnotherSearch) {
  const Done a = search(1, false);
  session.options.seed = 2;
  EXPECT_NE(a.log, search(1, false).log);
}

TEST_F(SearchTest, StopOnRace) {
  session.options.stop_on_race = true;
  const Done d = search(2, false);
  EXPECT_LT(d.result.executions, 3000u);
  EXPECT_FALSE(d.result.findings.empty());
}

TEST_F(SearchTest, NeitherKnownFailuresNorKnownRacesEndIt) {
  session.options.keep_going = true;
  const Done all = search(1, true);
  session.options.keep_going = false;
  session.options.stop_on_race = true;
  std::vector<std::string> known;
  for (const Finding& f : all.result.findings) known.push_back(f.fingerprint);
  session.options.baseline = testing::TempDir() + "jostle-search-baseline";
  ASSERT_TRUE(report::Baseline::add_to(session.options.baseline, known));
  const Done d = search(1, true);
  std::filesystem::remove(session.options.baseline);
  EXPECT_EQ(d.result.executions, 3000u);
  EXPECT_TRUE(d.result.findings.empty()) << d.findings();
  EXPECT_EQ(d.result.accepted.size(), all.result.findings.size());
}

TEST_F(SearchTest, InterruptedBetweenRounds) {
  auto* progress = static_cast<Progress*>(map_pages(sizeof(Progress)));
  progress->interruption.signal = 2;
  session.progress = progress;
  EXPECT_EQ(search(1, false).result.executions, 8u);
  munmap(progress, sizeof(Progress));
}

}  // namespace
}  // namespace jostle::explore
