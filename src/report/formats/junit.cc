// JUnit's XML, in the form that Jenkins, GitLab and GitHub actions agree on: one suite for the
// program, one case for each run, one <failure> for each finding.
#include "report/formats/encode.h"
#include "report/formats/formats.h"
#include "report/frames.h"

namespace jostle::report {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_attribute(value) + "\"";
}

std::string element(std::string_view name, std::string_view type, std::string_view message,
                    std::string_view text) {
  return "      <" + std::string(name) + attribute("type", type) + attribute("message", message) +
         ">" + xml_text(text) + "</" + std::string(name) + ">\n";
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  std::string attributes() const {
    return attribute("tests", std::to_string(tests)) +
           attribute("failures", std::to_string(failures)) +
           attribute("errors", std::to_string(errors)) +
           attribute("skipped", std::to_string(skipped)) + attribute("time", decimal(seconds, 3));
  }
};

std::string summary(const RunResults& r) {
  std::string text = std::to_string(r.executions) +
                     (r.executions == 1 ? " execution" : " executions") + ", strategy " +
                     r.strategy + ", seed " + std::to_string(r.seed) + "\n";
  if (!r.guarantee.empty()) text += r.guarantee + "\n";
  for (const std::string& u : r.uncontrolled) text += "not controlled: " + u + "\n";
  for (const ReportedFinding& f : r.findings)
    if (accepted(f))
      text += f.baseline + (f.baseline == "known" ? "" : " to the baseline") + ": " + f.text;
  return text;
}

std::string test_case(const RunResults& r, const std::string& suite, Counts& counts) {
  // "Account.Deposits" of GoogleTest: readers group by what stands before the dot.
  const std::string name = r.name.empty() ? suite : r.name;
  const std::size_t dot = name.rfind('.');
  const bool split = dot != std::string::npos && dot > 0 && dot + 1 < name.size();
  std::string out = "    <testcase" + attribute("classname", split ? name.substr(0, dot) : suite) +
                    attribute("name", split ? name.substr(dot + 1) : name) +
                    attribute("time", decimal(r.seconds, 3)) + ">\n";
  ++counts.tests;
  counts.seconds += r.seconds;
  bool failed = false;
  for (const ReportedFinding& f : r.findings) {
    if (accepted(f)) continue;
    out += element("failure", f.kind, f.message, f.text);
    failed = true;
  }
  if (failed) {
    ++counts.failures;
  } else if (r.verdict == "error" || (r.verdict == "nothing" && !r.skipped)) {
    ++counts.errors;
    out += element("error", r.verdict, r.error.empty() ? "nothing was executed" : r.error, "");
  } else if (r.skipped || r.verdict == "incomplete") {
    // Nothing failed, but what was asked for was not shown either.
    ++counts.skipped;
    out += "      <skipped" +
           attribute("message", r.skipped ? "skipped" : "the search did not come to its end") +
           "/>\n";
  }
  return out + "      <system-out>" + xml_text(summary(r)) + "</system-out>\n    </testcase>\n";
}

}  // namespace

std::string to_junit(std::span<const RunResults> runs) {
  std::string suite = runs.empty() ? "" : std::string(base_name(runs.front().program));
  if (suite.empty()) suite = "jostle";
  Counts counts;
  std::string cases;
  for (const RunResults& r : runs) cases += test_case(r, suite, counts);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"jostle\"" +
         counts.attributes() + ">\n  <testsuite" + attribute("name", suite) + counts.attributes() +
         ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace jostle::report
