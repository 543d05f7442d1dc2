#include "explore/scripting.h"

#include <algorithm>

#include "explore/findings.h"
#include "explore/known.h"
#include "explore/rounds.h"
#include "script/unit_conductor.h"

namespace jostle::explore {
namespace {

class Scripting {
 public:
  Scripting(const Session& session, Keeper& keeper)
      : session_(session),
        keeper_(keeper),
        findings_(session, keeper),
        oracle_(session.script->oracle),
        conductor_(session.script->script, oracle_) {}

  void go(Result& result);

 private:
  // False when the search is over.
  bool take(Result& result, const Outcome& out);
  void hand_over();
  void conclude(Result& result) const;
  // Other processes know nothing of the script: they follow the turns that it led to.
  static Plan plan() {
    Plan p;
    p.strategy = kSegmentStrategy;
    p.patience = Plan::kExact;
    return p;
  }

  const Session& session_;
  Keeper& keeper_;
  Findings findings_;
  scripting::Oracle& oracle_;
  scripts::UnitConductor conductor_;
  Known known_;
  std::string first_stuck_;
  bool failed_ = false, cut_ = false;
};

void Scripting::go(Result& result) {
  if (auto ok = findings_.load_filters(); !ok) {
    result.error = ok.error();
    return;
  }
  const auto runner = in_process_runner(session_);  // sets the engine up
  const Options& o = session_.options;
  const double start = monotonic_seconds();
  for (;;) {
    if (result.executions >= o.executions || interrupted(session_) || out_of_time(session_)) {
      cut_ = true;
      break;
    }
    conductor_.prepare(engine().scheduler(), result.executions);
    const Outcome& out = engine().execute(plan(), Profile(), conductor_, session_.body, nullptr);
    conductor_.conclude();
    if (given_up(session_, out)) {
      cut_ = true;
      break;
    }
    ++result.executions;
    if (!take(result, out)) break;
    if (!oracle_.restart()) {
      result.complete = oracle_.exhaustive() && !failed_ && oracle_.strayed() == 0;
      break;
    }
  }
  result.seconds = monotonic_seconds() - start;
  conclude(result);
}

bool Scripting::take(Result& result, const Outcome& out) {
  const Options& o = session_.options;
  if (out.skipped) {
    result.skipped = true;
    return false;
  }
  if (!conductor_.mistake().empty()) {
    result.error = conductor_.mistake();
    return false;
  }
  std::vector<Problem> races(engine().races().found().begin(), engine().races().found().end());
  engine().races().forget_found();
  bool raced = false;
  for (const Problem& r : races) {
    known_.races.push_back({plan(), r, 0, Profile()});
    hand_over();
    raced |= findings_.add_race(result, plan(), r, result.executions);
  }
  if (raced && o.stop_on_race) return false;
  const FindingKind kind = out.failure.kind;
  // A thread that waits for one that the script holds does not hang.
  const bool waits_for_script = conductor_.held_somebody() && !conductor_.finished() &&
                                (kind == FindingKind::livelock || kind == FindingKind::timeout);
  if (kind != FindingKind::none && !waits_for_script) {
    hand_over();
    failed_ = true;
    const bool told = findings_.add_failure(result, plan(), out.failure, result.executions);
    return !told || o.keep_going;
  }
  if (!conductor_.finished()) {
    ++result.unsatisfied;
    if (first_stuck_.empty()) first_stuck_ = conductor_.stuck();
  }
  return true;
}

void Scripting::hand_over() {
  Assignment& a = keeper_.assignment();
  fill(a, known_, 0, Profile());
  const auto& turns = conductor_.turns();
  const auto& answers = conductor_.answers();
  a.segment_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(turns.size(), Assignment::kSteps));
  std::copy(turns.begin(), turns.begin() + a.segment_count, a.segments);
  a.deviation_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(answers.size(), Assignment::kSteps));
  std::copy(answers.begin(), answers.begin() + a.deviation_count, a.deviations);
}

void Scripting::conclude(Result& result) const {
  result.strayed = oracle_.strayed();
  for (const Uncontrolled& u : engine().all_uncontrolled())
    result.uncontrolled.emplace_back(u.what);
  if (!result.error.empty() || result.skipped) return;
  conclude_script(result, first_stuck_, cut_);
}

}  // namespace

void conclude_script(Result& result, const std::string& stuck, bool cut) {
  const std::uint64_t n = result.executions;
  if (result.unsatisfied == n && n > 0) {
    result.error = stuck;
    result.complete = false;
    return;
  }
  if (result.unsatisfied > 0)
    result.notes.push_back(std::to_string(result.unsatisfied) + " of " + std::to_string(n) +
                           " executions ended before the script did; the first: " + stuck);
  if (result.strayed > 0)
    result.notes.push_back(
        "the program does not do the same each time: " + std::to_string(result.strayed) +
        " choices of the script could not be made again as before");
  if (result.complete)
    result.guarantee = "all schedules that the script allows: " + std::to_string(n) +
                       " executed, " + verdict_on_rest(result, false, "");
  else if (cut && result.findings.empty())
    result.incomplete = "there are more schedules than the limit of executions or time";
}

void run_script(const Session& session, Keeper& keeper, Result& result) {
  Scripting(session, keeper).go(result);
}

}  // namespace jostle::explore
