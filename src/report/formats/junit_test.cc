#include <gtest/gtest.h>

#include "report/formats/formats.h"
#include "report/formats/sample.h"

namespace jostle::report {
namespace {

TEST(Junit, OneCaseForEachRun) {
  std::vector<RunResults> runs = {sample_run(), passed_run(""), passed_run("A.Skipped"),
                                  passed_run("A.Broken"), passed_run("A.Long")};
  runs[1].uncontrolled = {"a <process>"};
  runs[2].verdict = "nothing";
  runs[2].skipped = true;
  runs[2].executions = 0;
  runs[3].verdict = "error";
  runs[3].error = "no such file";
  runs[4].verdict = "incomplete";
  EXPECT_EQ(to_junit(runs), R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jostle" tests="5" failures="1" errors="1" skipped="2" time="2.5">
  <testsuite name="account_test" tests="5" failures="1" errors="1" skipped="2" time="2.5">
    <testcase classname="Account" name="Withdraw" time="0.5">
      <failure type="assertion" message="`balance == 70' failed">T1 reads
T2 writes
</failure>
      <system-out>7 executions, strategy portfolio, seed 1
</system-out>
    </testcase>
    <testcase classname="account_test" name="account_test" time="0.5">
      <system-out>7 executions, strategy portfolio, seed 1
not controlled: a &lt;process&gt;
</system-out>
    </testcase>
    <testcase classname="A" name="Skipped" time="0.5">
      <skipped message="skipped"/>
      <system-out>0 executions, strategy portfolio, seed 1
</system-out>
    </testcase>
    <testcase classname="A" name="Broken" time="0.5">
      <error type="error" message="no such file"></error>
      <system-out>7 executions, strategy portfolio, seed 1
</system-out>
    </testcase>
    <testcase classname="A" name="Long" time="0.5">
      <skipped message="the search did not come to its end"/>
      <system-out>7 executions, strategy portfolio, seed 1
</system-out>
    </testcase>
  </testsuite>
</testsuites>
)xml");
}

TEST(Junit, WhatTheBaselineKnowsIsNoFailure) {
  RunResults r = sample_run();
  r.verdict = "ok";
  r.findings[0].baseline = "known";
  r.findings[0].text = "assertion at account.cc:14\n";
  const std::string text = to_junit(std::vector{r});
  EXPECT_NE(text.find("failures=\"0\""), std::string::npos) << text;
  EXPECT_EQ(text.find("<failure"), std::string::npos) << text;
  EXPECT_NE(text.find("known: assertion at account.cc:14\n"), std::string::npos) << text;
}

TEST(Junit, SurvivesAnyBytes) {
  RunResults r = sample_run();
  r.name = r.program = r.findings[0].message = r.findings[0].text = kNasty;
  const std::string text = to_junit(std::vector{r});
  for (const char c : text) EXPECT_TRUE(c < 0 || c >= ' ' || c == '\n' || c == '\t') << int{c};
  EXPECT_EQ(text.find("]]>"), std::string::npos);
}

}  // namespace
}  // namespace jostle::report
