// jostle::run().
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "explore/exhaustive.h"
#include "explore/findings.h"
#include "explore/framework.h"
#include "explore/known.h"
#include "explore/replaying.h"
#include "explore/rounds.h"
#include "explore/search.h"
#include "options/options.h"
#include "runtime/self.h"

namespace jostle {
namespace {

using namespace explore;

void finish_report(const Session& session, Result& result) {
  std::string& r = result.report;
  const bool early = interrupted(session);
  for (const Finding& f : result.findings) r += f.report + "\n";
  char line[300];
  const double rate =
      result.seconds > 0 ? static_cast<double>(result.executions) / result.seconds : 0;
  if (result.executions > 0 || early) {
    const auto n = static_cast<unsigned long long>(result.executions);
    const std::string head =
        "jostle: " + session.name.substr(0, 100) + (session.name.empty() ? "" : ": ");
    std::string time;
    // With findings, most of the time went into confirming and minimising them.
    if (result.seconds > 0) {
      char text[40];
      std::snprintf(text, sizeof text, result.findings.empty() ? " (%.0f/s)" : " (%.2f s)",
                    result.findings.empty() ? rate : result.seconds);
      time = text;
    }
    if (early) {
      const std::string what = result.findings.empty() ? "nothing found"
                               : result.findings.size() == 1
                                   ? "1 finding"
                                   : std::to_string(result.findings.size()) + " findings";
      std::snprintf(line, sizeof line, "%sinterrupted after %llu execution%s, %s\n", head.c_str(),
                    n, n == 1 ? "" : "s", what.c_str());
    } else if (result.findings.empty())
      std::snprintf(line, sizeof line, "%s%llu execution%s%s, nothing found\n", head.c_str(), n,
                    n == 1 ? "" : "s", time.c_str());
    else
      std::snprintf(line, sizeof line, "%s%zu finding%s in %llu execution%s%s\n", head.c_str(),
                    result.findings.size(), result.findings.size() == 1 ? "" : "s", n,
                    n == 1 ? "" : "s", time.c_str());
    r += line;
  }
  if (!result.guarantee.empty()) r += "jostle: " + result.guarantee + "\n";
  for (const std::string& u : result.uncontrolled) r += "jostle: not controlled: " + u + "\n";
  if (!result.error.empty()) r += "jostle: error: " + result.error + "\n";
}

// In the keeper, after the process that searched has died in a way that it could not report (or
// was killed by somebody): the execution that it was in is made again and told if it fails.
void report_last_execution(Keeper& keeper, const Session& session) {
  const Progress& p = *session.progress;
  if (!p.share.running) return;
  Known known;
  known.promoted.assign(p.round.promoted, p.round.promoted + p.round.promoted_count);
  fill(keeper.assignment(), known, p.round.promoted_count, p.round.profile);
  Assignment& a = keeper.assignment();
  a.plan = p.share.current;
  a.record = true;
  const Fresh f = keeper.run();
  if (f.timed_out) return;
  if (f.trace.outcome.failure.kind == FindingKind::none) return;
  Result result;
  Findings findings(session, keeper);
  findings.add_failure(result, p.share.current, f.trace.outcome.failure, p.share.current.index + 1);
  result.executions = p.share.current.index + 1;
  finish_report(session, result);
  result.report = "jostle: the process died in execution " + std::to_string(result.executions) +
                  "\n" + result.report;
  std::fputs(result.report.c_str(), stderr);
}

// How often run() was called in this test, by name.
std::map<std::string, int>& calls() {
  static std::map<std::string, int> c;
  return c;
}

}  // namespace

void begin_test() { calls().clear(); }

Result run(const std::function<void()>& body, const Options& given) {
  Result result;
  Session session;
  session.options = given;
  if (auto ok = apply_environment(session.options, const_cast<const char* const*>(environ)); !ok) {
    result.error = ok.error();
    result.report = "jostle: error: " + result.error + "\n";
    std::fputs(result.report.c_str(), stderr);
    return result;
  }
  const Options& o = session.options;
  if (o.off || t_self != nullptr) {
    body();  // natively; a run inside a run is part of the outer one
    result.executions = 1;
    return result;
  }
  session.name = o.name.empty() ? framework_test_name() : o.name;
  // Several runs in one test are told apart by their number.
  if (const int n = ++calls()[session.name]; n > 1) session.name += "#" + std::to_string(n);
  session.settings = settings_of(o);
  if (!o.replay.empty()) adopt_schedule(session);
  session.body = {[](void* f) { (*static_cast<const std::function<void()>*>(f))(); },
                  const_cast<void*>(static_cast<const void*>(&body))};
  static auto* const progress = static_cast<Progress*>(map_pages(sizeof(Progress), true));
  progress->share.running = false;
  session.progress = progress;
  session.on_orphaned = &report_last_execution;
  {
    const Interrupts interrupts(session.name, progress->interruption);
    FrameworkSession framework;
    Keeper keeper(session);
    if (!keeper.alive()) {
      result.error = "cannot fork: no process can be made to confirm findings";
    } else if (!o.replay.empty()) {
      follow_schedule(session, keeper, result);
    } else if (o.strategy == "dfs") {
      run_exhaustively(session, keeper, result);
    } else if (auto portfolio = Portfolio::make(o.strategy, o.depth); !portfolio) {
      result.error = portfolio.error();
    } else {
      const auto runner = o.strategy == "delay" ? delaying_runner(session)
                          : o.isolation == Options::Isolation::fork
                              ? forking_runner(session, o.jobs)
                          : o.jobs > 1 ? worker_runner(session, o.jobs)
                                       : in_process_runner(session);
      Search(session, keeper, *runner, *portfolio).go(result);
    }
    finish_report(session, result);
  }
  const int stopped_by = progress->interruption.signal;
  if ((!o.quiet && !result.ok()) || o.verbose || stopped_by)
    std::fputs(result.report.c_str(), stderr);
  if (stopped_by) {  // as it would have without us
    std::fflush(nullptr);
    raise(stopped_by);
  }
  return result;
}

}  // namespace jostle
