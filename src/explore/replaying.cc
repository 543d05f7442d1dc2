#include "explore/replaying.h"

#include <algorithm>

#include "explore/findings.h"
#include "explore/minimize.h"
#include "explore/schedules.h"
#include "trace/schedule_file.h"

namespace jostle::explore {

void follow_schedule(const Session& outer, Keeper& keeper, Result& result) {
  const auto loaded = load_schedule(outer.options.replay);
  if (!loaded) {
    result.error = loaded.error();
    return;
  }
  const Schedule& s = *loaded;
  if (s.test != outer.name) {
    result.skipped = true;
    return;
  }
  const bool exact = s.build_id == build_id();
  Assignment& a = keeper.assignment();
  a.clear();
  a.record = true;
  a.plan.strategy = kReplayStrategy;
  for (const PromotedSite& p : s.promoted)
    if (a.promoted_count < Assignment::kSites) a.promoted[a.promoted_count++] = p.offset + image_base();
  const std::vector<Deviation> d = deviations_of(s);
  a.deviation_count = static_cast<std::uint32_t>(std::min<std::size_t>(d.size(), Assignment::kSteps));
  std::copy(d.begin(), d.begin() + a.deviation_count, a.deviations);
  Fresh f = keeper.run();
  result.executions = 1;
  const Outcome& o = f.trace.outcome;
  std::string grade;
  if (o.diverged)
    grade = "diverged at decision " + std::to_string(o.diverged_at) + ": " + o.divergence;
  else if (f.replay_left > 0)
    grade = "diverged: the execution ended before " + std::to_string(f.replay_left) + " of the schedule's steps";
  else
    grade = exact ? "exact" : "best effort: the program was rebuilt since the schedule was made";
  Findings findings(outer, keeper);
  const bool raced = s.finding == "race" && !f.trace.races.empty();
  if (o.failure.kind != FindingKind::none || raced) {
    const Problem p = o.failure.kind != FindingKind::none ? o.failure : f.trace.races.front();
    Finding finding = findings.describe(f.trace, p, outer.options.replay, {});
    finding.confirmed = true;
    finding.execution = 1;
    result.findings.push_back(std::move(finding));
    result.report += "jostle: replay reproduced the " + s.finding + " (" + grade + ")\n";
  } else {
    result.report += "jostle: replay did not fail (" + grade + ")\n";
    if (o.diverged || f.replay_left > 0) result.error = "the schedule could not be followed: " + grade;
  }
}

}  // namespace jostle::explore
