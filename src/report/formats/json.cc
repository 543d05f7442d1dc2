// The format of our own: docs/json.md, docs/jostle-results.schema.json.
//
// `schema` grows when a reader of the old format would misunderstand the new one; a member more is
// no such change.
#include <algorithm>
#include <map>

#include "report/formats/formats.h"
#include "report/formats/json_writer.h"

namespace jostle::report {
namespace {

constexpr std::uint32_t kSchema = 1;

// The worst comes first: what all runs together amount to.
constexpr std::string_view kVerdicts[] = {"finding", "error", "incomplete", "nothing", "ok"};

std::string overall_verdict(std::span<const RunResults> runs) {
  // A test that was skipped takes nothing away from those that were not.
  const bool executed =
      std::any_of(runs.begin(), runs.end(), [](const RunResults& r) { return r.executions > 0; });
  for (const std::string_view v : kVerdicts)
    for (const RunResults& r : runs)
      if (r.verdict == v && !(r.skipped && executed)) return std::string(v);
  return "nothing";
}

void add_figures(JsonWriter& w, std::uint64_t executions, std::uint64_t total, double seconds) {
  w.member("executions", executions);
  if (total > 0) w.member("executions_total", total);
  w.member("seconds", seconds);
  w.member("executions_per_second", seconds > 0 ? static_cast<double>(executions) / seconds : 0.0);
}

void add_summary(JsonWriter& w, std::span<const RunResults> runs) {
  std::uint64_t executions = 0, total = 0;
  double seconds = 0;
  bool complete = !runs.empty();
  std::string guarantee, error;
  std::vector<std::string> uncontrolled;
  const auto join = [](std::string& all, const std::string& one) {
    if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
  };
  for (const RunResults& r : runs) {
    executions += r.executions;
    total += r.executions_total;
    seconds += r.seconds;
    complete &= r.complete;
    join(guarantee, r.guarantee);
    join(error, r.error);
    for (const std::string& u : r.uncontrolled)
      if (std::find(uncontrolled.begin(), uncontrolled.end(), u) == uncontrolled.end())
        uncontrolled.push_back(u);
  }
  w.member("verdict", overall_verdict(runs));
  w.some("error", error);
  add_figures(w, executions, total, seconds);
  w.member("complete", complete);
  if (std::any_of(runs.begin(), runs.end(), [](const RunResults& r) { return r.check; })) {
    std::uint64_t blocked = 0;
    for (const RunResults& r : runs) blocked += r.blocked;
    w.member("blocked", blocked);
  }
  // A promise about some of the runs is none about all of them.
  w.member("guarantee", complete ? guarantee : std::string());
  w.member("uncontrolled", uncontrolled);
}

void add_step(JsonWriter& w, const Step& s) {
  w.open_flat_object();
  w.member("order", s.order);
  w.member("thread", s.thread);
  w.member("kind", name_of(s.kind));
  w.member("text", s.text);
  w.some("function", s.function);
  w.some("file", s.file);
  if (s.line != 0) w.member("line", s.line);
  w.some("change", s.change);
  if (s.interrupts) w.member("interrupts", true);
  if (s.marked) w.member("marked", true);
  w.close();
}

void add_finding(JsonWriter& w, const RunResults& run, const ReportedFinding& f) {
  w.open_object();
  w.member("run", run.name);
  w.member("kind", f.kind);
  w.member("message", f.message);
  w.member("function", f.function);
  w.member("file", f.file);
  w.member("line", f.line);
  w.member("schedule", f.schedule);
  w.member("fingerprint", f.fingerprint);
  w.member("confirmed", f.confirmed);
  w.some("baseline", f.baseline);
  w.member("execution", f.execution);
  w.member("report", f.text);
  w.key("threads").open_array();
  for (const StepThread& t : f.steps.threads) {
    w.open_flat_object();
    w.member("id", t.id);
    w.member("title", t.title);
    w.close();
  }
  w.close();
  w.key("steps").open_array();
  for (const Step& s : f.steps.steps) add_step(w, s);
  w.close();
  w.close();
}

void add_item(JsonWriter& w, const CoverageItem& i) {
  w.open_flat_object();
  w.member("metric", i.metric);
  w.member("places", i.places);
  w.member("id", i.id);
  w.member("exposed", i.exposed);
  w.member("known", i.known);
  w.member("predicted", i.predicted);
  if (i.against) w.member("against", true);
  if (i.rank > 0) w.member("rank", i.rank);
  w.some("infeasible", i.infeasible);
  w.some("decided_by", i.decided_by);
  w.member("attempts", i.attempts);
  w.member("execution", i.execution);
  w.member("hits", i.hits);
  w.close();
}

// Since the last run, and compared with another database.
void add_news(JsonWriter& w, const Coverage& c) {
  std::uint64_t fresh = 0, more = 0, both = 0;
  for (const CoverageItem& i : c.items) {
    fresh += i.exposed && !i.known;
    more += (i.exposed || i.known) && !i.against;
    both += (i.exposed || i.known) && i.against;
  }
  w.member("new", fresh);
  w.some("last_run", c.last_run);
  if (!c.compared) return;
  w.key("against").open_object();
  w.member("new", more);
  w.member("both", both);
  w.key("lacking").open_array();
  for (const CoverageItem& i : c.lacking) add_item(w, i);
  w.close();
  w.close();
}

void add_coverage(JsonWriter& w, const Coverage& c) {
  struct Sum {
    std::uint64_t exposed = 0, known = 0, predicted = 0, infeasible = 0;
  };
  std::map<std::string, Sum> metrics;
  std::map<std::uint64_t, std::uint64_t> discoveries;
  for (const CoverageItem& i : c.items) {
    Sum& s = metrics[i.metric];
    s.exposed += i.exposed;
    s.known += i.known;
    s.predicted += i.predicted;
    s.infeasible += !i.infeasible.empty();
    if (i.exposed) ++discoveries[i.execution];
  }
  w.key("coverage").open_object();
  w.member("saturated", c.saturated);
  w.member("unseen", c.unseen);
  w.member("verdict", c.verdict);
  w.member("profiled", c.profiled);
  w.member("attempted", c.attempted);
  add_news(w, c);
  w.key("metrics").open_array();
  for (const auto& [name, s] : metrics) {
    w.open_flat_object();
    w.member("metric", name);
    w.member("exposed", s.exposed);
    w.member("known", s.known);
    w.member("predicted", s.predicted);
    w.member("infeasible", s.infeasible);
    w.close();
  }
  w.close();
  // The discovery curve: after which executions how many were exposed.
  w.key("curve").open_array();
  std::uint64_t all = 0;
  for (const auto& [execution, fresh] : discoveries) {
    w.open_flat_object();
    w.member("execution", execution);
    w.member("exposed", all += fresh);
    w.close();
  }
  w.close();
  w.key("items").open_array();
  for (const CoverageItem& i : c.items) add_item(w, i);
  w.close();
  w.close();
}

void add_run(JsonWriter& w, const RunResults& r) {
  w.open_object();
  w.member("name", r.name);
  w.member("verdict", r.verdict);
  if (r.skipped) w.member("skipped", true);
  w.some("error", r.error);
  add_figures(w, r.executions, r.executions_total, r.seconds);
  w.member("complete", r.complete);
  w.member("guarantee", r.guarantee);
  if (r.check) {
    w.member("blocked", r.blocked);
    w.member("peak_nodes", r.peak_nodes);
    w.member("live_nodes", r.live_nodes);
    if (r.speedup > 0) w.member("speedup", r.speedup);
    if (r.estimate_spread > 0) {
      w.member("estimated", r.estimated);
      w.member("estimate_spread", r.estimate_spread);
    }
    w.some("incomplete", r.incomplete);
  }
  const auto n =
      static_cast<std::size_t>(std::count_if(r.findings.begin(), r.findings.end(), accepted));
  w.member("findings", r.findings.size() - n);
  if (n > 0) w.member("accepted", n);
  w.member("strategy", r.strategy);
  w.member("seed", r.seed);
  w.member("jobs", r.jobs);
  w.member("isolation", r.isolation);
  w.member("uncontrolled", r.uncontrolled);
  if (r.coverage.measured) add_coverage(w, r.coverage);
  w.close();
}

}  // namespace

std::string to_json(std::span<const RunResults> runs) {
  const RunResults none;
  const RunResults& first = runs.empty() ? none : runs.front();
  JsonWriter w;
  w.open_object();
  w.member("schema", kSchema);
  w.key("tool").open_flat_object();
  w.member("name", "jostle");
  w.member("version", first.tool_version);
  w.close();
  w.member("program", first.program);
  w.member("arguments", first.arguments);
  add_summary(w, runs);
  w.key("findings").open_array();
  for (const RunResults& r : runs)
    for (const ReportedFinding& f : r.findings) add_finding(w, r, f);
  w.close();
  w.key("runs").open_array();
  for (const RunResults& r : runs) add_run(w, r);
  w.close();
  w.close();
  return w.text();
}

}  // namespace jostle::report
