#include "explore/results.h"

#include "base/version.h"
#include "explore/schedules.h"
#include "options/options.h"
#include "report/formats/encode.h"
#include "report/write_results.h"

namespace jostle::explore {
namespace {

std::string verdict_of(const Session& session, const Result& r) {
  if (!r.findings.empty()) return "finding";
  if (!r.error.empty()) return "error";
  if (r.executions == 0 || r.skipped) return "nothing";
  const Options& o = session.options;
  return promises(session.kind) && o.replay.empty() && !r.complete ? "incomplete" : "ok";
}

report::ReportedFinding reported(const Recorded& recorded, const Finding& f,
                                 const std::string& baseline) {
  report::ReportedFinding out;
  out.kind = f.kind;
  out.message = f.message;
  out.function = f.function;
  out.file = f.file.empty() ? "" : report::normalise(report::locate_source(f.file));
  out.line = f.line;
  out.schedule = f.schedule;
  out.fingerprint = f.fingerprint;
  out.confirmed = f.confirmed;
  out.baseline = baseline;
  out.execution = f.execution;
  out.text = report::without_colours(f.report);
  if (const auto steps = recorded.steps.find(f.fingerprint); steps != recorded.steps.end())
    out.steps = steps->second;
  return out;
}

}  // namespace

Expected<bool> write_results(const Session& session, const Result& result) {
  if (!session.recorded) return true;
  const Options& o = session.options;
  report::RunResults r;
  r.tool_version = kVersion;
  r.program = program_path();
  r.arguments = program_arguments();
  r.name = session.name;
  r.root = report::source_root();
  r.verdict = verdict_of(session, result);
  r.skipped = result.skipped;
  r.error = result.error;
  r.executions = result.executions;
  // A replay is executed in a process of its own in the first place.
  r.executions_total = session.recorded->fresh + (o.replay.empty() ? result.executions : 0);
  if (session.kind == SearchKind::check && o.replay.empty()) {
    r.check = true;
    r.executions_total = result.executions_total;
    r.blocked = result.blocked;
    r.peak_nodes = result.peak_nodes;
    r.live_nodes = result.live_nodes;
    r.estimated = result.estimated;
    r.estimate_spread = result.estimate_spread;
    r.speedup = result.speedup;
    r.incomplete = result.incomplete;
  }
  r.seconds = result.seconds;
  r.complete = result.complete;
  r.guarantee = result.guarantee;
  r.seed = o.seed;
  r.strategy = o.replay.empty() ? o.strategy : "replay";
  r.jobs = o.jobs;
  r.isolation = value_of(o, "isolation");
  r.uncontrolled = result.uncontrolled;
  r.coverage = result.coverage;
  for (const Finding& f : result.findings)
    r.findings.push_back(reported(*session.recorded, f, o.baseline.empty() ? "" : "new"));
  for (const Finding& f : result.accepted)
    r.findings.push_back(reported(*session.recorded, f, f.known ? "known" : "added"));
  static report::ResultFiles& files = *new report::ResultFiles;
  return files.add(o, r);
}

}  // namespace jostle::explore
