#include <gtest/gtest.h>

#include "report/formats/formats.h"
#include "report/formats/sample.h"

namespace jostle::report {
namespace {

TEST(Json, OneRun) {
  const RunResults runs[] = {sample_run()};
  EXPECT_EQ(to_json(runs), R"json({
  "schema": 1,
  "tool": {"name": "jostle", "version": "1.2.3"},
  "program": "/home/me/build/account_test",
  "arguments": [
    "--gtest_filter=Account.*"
  ],
  "verdict": "finding",
  "executions": 7,
  "executions_total": 20,
  "seconds": 0.5,
  "executions_per_second": 14,
  "complete": false,
  "guarantee": "",
  "uncontrolled": [],
  "findings": [
    {
      "run": "Account.Withdraw",
      "kind": "assertion",
      "message": "`balance == 70' failed",
      "function": "Account::withdraw",
      "file": "/home/me/account.cc",
      "line": 14,
      "schedule": ".jostle/a.schedule",
      "fingerprint": "assertion|Account::withdraw@account.cc:14",
      "confirmed": true,
      "execution": 7,
      "report": "T1 reads\nT2 writes\n",
      "threads": [
        {"id": 1, "title": "T1"},
        {"id": 2, "title": "T2"}
      ],
      "steps": [
        {"order": 1, "thread": 1, "kind": "read", "text": "read balance → 100", "function": "Account::withdraw", "file": "/home/me/account.cc", "line": 12},
        {"order": 2, "thread": 2, "kind": "write", "text": "write balance = 90", "function": "Account::withdraw", "file": "/home/me/account.cc", "line": 14, "change": "T1 is interrupted, T2 runs", "interrupts": true, "marked": true}
      ]
    }
  ],
  "runs": [
    {
      "name": "Account.Withdraw",
      "verdict": "finding",
      "executions": 7,
      "executions_total": 20,
      "seconds": 0.5,
      "executions_per_second": 14,
      "complete": false,
      "guarantee": "",
      "findings": 1,
      "strategy": "portfolio",
      "seed": 1,
      "jobs": 1,
      "isolation": "none",
      "uncontrolled": []
    }
  ]
}
)json");
}

std::string verdict_of(std::vector<RunResults> runs) {
  const std::string text = to_json(runs);
  const std::string key = "\"verdict\": \"";
  const std::size_t at = text.find(key) + key.size();
  return text.substr(at, text.find('"', at) - at);
}

TEST(Json, TheWorstVerdictCounts) {
  const RunResults ok = passed_run("a");
  RunResults skipped = ok, error = ok, incomplete = ok;
  skipped.verdict = "nothing";
  skipped.skipped = true;
  skipped.executions = 0;
  error.verdict = "error";
  incomplete.verdict = "incomplete";
  RunResults nothing = skipped;
  nothing.skipped = false;
  EXPECT_EQ(verdict_of({}), "nothing");
  EXPECT_EQ(verdict_of({ok, ok}), "ok");
  EXPECT_EQ(verdict_of({skipped, ok}), "ok");
  EXPECT_EQ(verdict_of({skipped}), "nothing");
  EXPECT_EQ(verdict_of({ok, nothing}), "nothing");
  EXPECT_EQ(verdict_of({ok, incomplete, nothing}), "incomplete");
  EXPECT_EQ(verdict_of({incomplete, error}), "error");
  EXPECT_EQ(verdict_of({ok, sample_run(), error}), "finding");
}

TEST(Json, AGuaranteeNeedsAllRuns) {
  RunResults a = passed_run("a"), b = passed_run("b");
  a.complete = b.complete = true;
  a.guarantee = "all of a";
  b.guarantee = "all of b";
  const std::string both = to_json(std::vector{a, b});
  EXPECT_NE(both.find("\"guarantee\": \"all of a; all of b\""), std::string::npos) << both;
  EXPECT_NE(both.find("\"executions\": 14,"), std::string::npos) << both;
  b.complete = false;
  b.guarantee = "";
  const std::string one = to_json(std::vector{a, b});
  EXPECT_NE(one.find("\"complete\": false,\n  \"guarantee\": \"\","), std::string::npos) << one;
}

TEST(Json, WhatTheBaselineKnowsIsMarkedAndNotCounted) {
  RunResults r = sample_run();
  r.verdict = "ok";
  r.findings[0].baseline = "known";
  const std::string text = to_json(std::vector{r});
  EXPECT_NE(text.find("\"baseline\": \"known\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"findings\": 0,\n      \"accepted\": 1,"), std::string::npos) << text;
}

}  // namespace
}  // namespace jostle::report
