// Results written by hand, for tests of the formats.
#pragma once

#include "report/results.h"
#include "report/trace_builder.h"

namespace jostle::report {

inline ReportedFinding reported(TraceBuilder b) {
  View v(b.trace, b.symbols);
  ReportedFinding f;
  f.kind = name_of(b.trace.outcome.failure.kind);
  f.message = b.trace.outcome.failure.message;
  f.steps = steps_of(v);
  f.confirmed = true;
  f.execution = 7;
  return f;
}

// One run with one finding, in which T1 is interrupted by T2.
inline RunResults sample_run() {
  RunResults r;
  r.tool_version = "1.2.3";
  r.program = "/home/me/build/account_test";
  r.arguments = {"--gtest_filter=Account.*"};
  r.name = "Account.Withdraw";
  r.root = "/home/me";
  r.verdict = "finding";
  r.executions = 7;
  r.executions_total = 20;
  r.seconds = 0.5;
  r.seed = 1;
  r.strategy = "portfolio";
  r.isolation = "none";

  TraceBuilder b(3);
  const Address balance = b.variable("balance");
  const std::string function = "Account::withdraw(int)", file = "/home/me/account.cc";
  b.valued(1, EventKind::read, balance, b.pc(function, file, 12), 100);
  b.valued(2, EventKind::write, balance, b.pc(function, file, 14), 90);
  b.interrupted(1);
  b.trace.outcome.failure =
      TraceBuilder::problem(FindingKind::assertion, b.here(), "`balance == 70' failed");
  ReportedFinding f = reported(std::move(b));
  f.function = "Account::withdraw";
  f.file = file;
  f.line = 14;
  f.schedule = ".jostle/a.schedule";
  f.fingerprint = "assertion|Account::withdraw@account.cc:14";
  f.text = "T1 reads\nT2 writes\n";
  r.findings.push_back(std::move(f));
  return r;
}

inline RunResults passed_run(const std::string& name) {
  RunResults r = sample_run();
  r.name = name;
  r.verdict = "ok";
  r.findings.clear();
  return r;
}

// Text that no format likes.
inline constexpr char kNasty[] = "<a>&\"\\\n\t\x01\x1b\x7f\xff\xc3\xa9\xed\xa0\x80]]>\xef\xbf\xbf";

}  // namespace jostle::report
