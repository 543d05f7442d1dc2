// What a run has to say, for machines. Plain data: from it the formats of report/formats are
// written, and whoever executes programs fills it.
#pragma once

#include <cstdint>
#include <jostle/jostle.hpp>
#include <string>
#include <vector>

#include "report/steps.h"

namespace jostle::report {

struct ReportedFinding {
  std::string kind;     // as `jostle list findings` names it
  std::string message;  // one line; may be empty
  std::string function, file;
  std::uint32_t line = 0;
  std::string schedule;     // path of the schedule file; "" if there is none
  std::string fingerprint;  // the same bug has the same in every run
  bool confirmed = false;
  std::string baseline;         // "known" to it or "added": does not fail the run; "new": it does
  std::uint64_t execution = 0;  // in which it showed, from 1
  std::string text;             // the report for people, without colours
  Steps steps;                  // of the failing execution; empty if it could not be reproduced
};

// The baseline has it.
inline bool accepted(const ReportedFinding& f) {
  return f.baseline == "known" || f.baseline == "added";
}

struct RunResults {
  std::string tool_version;
  std::string program;  // path
  std::vector<std::string> arguments;
  std::string name;      // of the test or run; may be empty
  std::string root;      // directory of the sources: files below it are reported relative to it
  std::string verdict;   // ok, finding, error, nothing, incomplete
  bool skipped = false;  // verdict "nothing", but because the test wanted it so
  std::string error;     // a sentence, for verdict "error"
  std::uint64_t executions = 0;
  // With those that confirmed and minimised findings; of a check, with those before the last
  // scheduling point was found.
  std::uint64_t executions_total = 0;
  // Of a check: executions that turned out to be like others, nodes at most and in the end, how
  // many executions it may take in all and how sure that is, and why it is not complete.
  bool check = false;
  std::uint64_t blocked = 0, peak_nodes = 0, live_nodes = 0, estimated = 0;
  double estimate_spread = 0, speedup = 0;
  std::string incomplete;
  double seconds = 0;
  bool complete = false;
  std::string guarantee;
  std::uint64_t seed = 0;
  std::string strategy;
  std::uint32_t jobs = 1;
  std::string isolation;
  std::vector<std::string> uncontrolled;
  std::vector<ReportedFinding> findings;  // accepted ones, too
  Coverage coverage;                      // only if it was measured
};

}  // namespace jostle::report
