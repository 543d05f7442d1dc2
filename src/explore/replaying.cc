#include "explore/replaying.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <tuple>

#include "explore/anchored.h"
#include "explore/explain.h"
#include "explore/findings.h"
#include "explore/minimize.h"
#include "explore/requests.h"
#include "explore/rounds.h"
#include "explore/schedules.h"
#include "explore/script_of.h"
#include "explore/terminate.h"
#include "report/frames.h"
#include "report/view.h"
#include "trace/file_io.h"
#include "trace/schedule_file.h"

namespace jostle::explore {
namespace {

constexpr int kNothingExecuted = 4;  // as for `jostle run`

void tell_tool(const std::string& verdict, const std::string& grade,
               const std::string& saved = "") {
  if (const std::string& path = requests().result; !path.empty())
    (void)write_file(path, verdict + "\n" + grade + "\n" + saved + "\n");
}

// Steps are reached in their order: the first of those that are left was not.
std::string about_first_left(const Fresh& f, const Schedule& s) {
  if (f.replay_left > s.steps.size()) return "";
  const ScheduleStep& step = s.steps[s.steps.size() - f.replay_left];
  const Anchor& at = step.at;
  std::string text = "; the first of them is @" + std::to_string(step.decision);
  if (at.function.empty() && at.line == 0) return text;
  return text + ", when thread " + at.thread + " is before " + std::string(name_of(at.kind)) +
         " in " + at.function + " at " + at.file + ":" + std::to_string(at.line) + " (#" +
         std::to_string(at.occurrence) + ")";
}

std::string grade_of(const Fresh& f, bool same_build, const Schedule& s) {
  const Outcome& o = f.trace.outcome;
  if (o.diverged)
    return "diverged at decision " + std::to_string(o.diverged_at) + ": " + o.divergence;
  if (f.replay_left > 0)
    return "diverged: the execution ended before " + std::to_string(f.replay_left) +
           " of the schedule's steps" + about_first_left(f, s);
  return same_build ? "exact" : "best effort: the program was rebuilt since the schedule was made";
}

// By how much lines that the schedule names may have moved: to where the same kind of thing now
// happens in the same function. The smallest first.
std::vector<std::int32_t> moves(const Schedule& s, const Trace& t) {
  report::Symbols symbols;
  std::set<std::pair<std::int32_t, std::int32_t>> found;
  std::set<std::pair<std::vector<std::uint64_t>, EventKind>> seen;
  for (const Event& e : t.events) {
    if (class_of(e.kind) == EventClass::note ||
        !seen.insert({report::stack_of(t, e), e.kind}).second)
      continue;
    const report::Frame f = report::where(t, symbols, e);
    const std::string function = report::short_function(f.function);
    for (const ScheduleStep& step : s.steps) {
      if (step.at.kind != e.kind || step.at.function != function || step.at.line == 0) continue;
      const auto by = static_cast<std::int32_t>(f.line - step.at.line);
      found.insert({std::abs(by), by});
    }
  }
  std::vector<std::int32_t> out;
  for (const auto& [distance, by] : found)
    if (out.size() < 30) out.push_back(by);
  return out;
}

// In a program that was rebuilt: as the source says it, with lines that have moved.
Fresh follow_by_source(const Schedule& s, Keeper& keeper) {
  constexpr double kPatience = 5;
  Assignment& a = keeper.assignment();
  const auto reproduced = [&](const Fresh& f) {
    return s.finding == name_of(f.trace.outcome.failure.kind) ||
           (s.finding == name_of(FindingKind::race) && !f.trace.races.empty());
  };
  Fresh best = keeper.run();
  std::uint64_t seed = a.plan.seed;
  const double end = monotonic_seconds() + kPatience;
  const std::vector<std::int32_t> by =
      reproduced(best) ? std::vector<std::int32_t>{} : moves(s, best.trace);
  for (const bool below_only : {false, true})
    for (const std::int32_t d : by) {
      if (reproduced(best) || monotonic_seconds() > end) break;
      a.plan.seed = Moved{d, below_only}.seed();
      Fresh f = keeper.run();
      if (!reproduced(f) && f.replay_left >= best.replay_left) continue;
      best = std::move(f);
      seed = a.plan.seed;
    }
  a.plan.seed = seed;
  return best;
}

}  // namespace

namespace {

bool g_followed = false;
std::string* g_unfollowed = nullptr;  // whose schedule it is

// Others than the test that a schedule is for are passed over, and succeed: the one that it is for
// may come later. When the program ends it must have come.
void expect_user(const std::string& test) {
  if (g_unfollowed) return;
  g_unfollowed = new std::string(test);
  on_exit(
      [](int status, void*) {
        if (g_followed) return;
        std::fprintf(stderr,
                     "jostle: error: the schedule is for %s, which did not run: nothing was "
                     "executed\n",
                     g_unfollowed->c_str());
        if (status == 0)
          std::exit(kNothingExecuted);  // the handlers that are left run nevertheless
      },
      nullptr);
}

}  // namespace

void adopt_schedule(Session& session) {
  const auto loaded = load_schedule(session.options.replay);
  if (!loaded) return;
  session.settings.preempt = loaded->preempt;
  session.settings.bounds = loaded->bounds;
  session.options.backend =
      loaded->backend == "threads" ? Options::Backend::threads : Options::Backend::fibers;
}

void follow_schedule(const Session& outer, Keeper& keeper, Result& result) {
  const auto loaded = load_schedule(outer.options.replay);
  if (!loaded) {
    result.error = loaded.error();
    tell_tool("unusable", loaded.error());
    return;
  }
  const Schedule& s = *loaded;
  const auto quoted = [](const std::string& name) {
    return name.empty() ? std::string("a test without a name") : "'" + name + "'";
  };
  if (s.test != outer.name) {
    result.skipped = true;
    if (outer.whole_program()) return;
    result.report += "jostle: " + quoted(outer.name) + " was not executed: the schedule is for " +
                     quoted(s.test) + "\n";
    expect_user(quoted(s.test));
    return;
  }
  g_followed = true;
  Assignment& a = keeper.assignment();
  a.clear();
  a.record = true;
  const bool same_build = s.build_id == build_id();
  a.plan.strategy = same_build ? kReplayStrategy : kAnchoredStrategy;
  a.plan.patience = s.bounds.patience;
  for (const PromotedSite& p : s.promoted)
    if (same_build && a.promoted_count < Assignment::kSites)
      a.promoted[a.promoted_count++] = p.offset + image_base();
  const std::vector<Deviation> d = deviations_of(s);
  a.deviation_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(d.size(), Assignment::kSteps));
  std::copy(d.begin(), d.begin() + a.deviation_count, a.deviations);
  Fresh f = same_build ? keeper.run() : follow_by_source(s, keeper);
  result.executions = 1;
  const Outcome& o = f.trace.outcome;
  const std::string grade = grade_of(f, same_build, s);
  const bool raced = s.finding == name_of(FindingKind::race) && !f.trace.races.empty();
  const bool failed = o.failure.kind != FindingKind::none;
  if (!failed && !raced) {
    const bool diverged = o.diverged || f.replay_left > 0;
    result.report += "jostle: replay did not fail (" + grade + ")\n";
    if (diverged) result.error = "the schedule could not be followed: " + grade;
    tell_tool(diverged ? "diverged" : "passed", grade);
    return;
  }
  Findings findings(outer, keeper);
  const bool same = raced || s.finding == name_of(o.failure.kind);
  result.report +=
      same ? "jostle: replay reproduced the " + s.finding + " (" + grade + ")\n"
           : "jostle: replay failed in another way: " + std::string(name_of(o.failure.kind)) +
                 " instead of " + s.finding + " (" + grade + ")\n";
  if (failed && requests().minimize) {
    const Plan plan = a.plan;
    findings.add_failure(result, plan, o.failure, 1);
    tell_tool(same ? "reproduced" : "other", grade,
              result.findings.empty() ? "" : result.findings.front().schedule);
    return;
  }
  if (failed && f.ended && !f.trace.truncated)
    f.trace.early_limit = decisive_limit(keeper, f.trace);
  explain_terminate(f.trace.outcome.failure, findings.symbols());
  Finding finding = findings.describe(f.trace, failed ? o.failure : f.trace.races.front(),
                                      outer.options.replay, {});
  if (failed && requests().explain) {
    const std::string nearest = nearest_passing(keeper, f.trace, findings.symbols());
    finding.report += "\n" + (nearest.empty() ? "Every schedule near this one fails, too: the "
                                                "failure does not need an interruption.\n"
                                              : nearest);
  }
  if (const std::string& path = requests().script; !path.empty()) {
    const auto script = script_of(outer, f.trace);
    const auto written = script ? write_file(path, *script) : Expected<bool>(Error{script.error()});
    if (written)
      finding.report += "\nAs a script: " + path + "\n";
    else
      result.error = "no script was written: " + written.error();
  }
  finding.confirmed = true;
  finding.execution = 1;
  result.findings.push_back(std::move(finding));
  tell_tool(same ? "reproduced" : "other", grade);
}

}  // namespace jostle::explore
