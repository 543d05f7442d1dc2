#include "explore/exhaustive.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "explore/findings.h"
#include "explore/known.h"
#include "explore/measure.h"
#include "explore/minimize.h"
#include "explore/rounds.h"
#include "runtime/signals.h"
#include "strategies/dfs.h"

namespace jostle::explore {
namespace {

class Exhaustive {
 public:
  Exhaustive(const Session& session, Keeper& keeper)
      : session_(session),
        keeper_(keeper),
        findings_(session, keeper),
        index_(static_cast<std::uint16_t>(find_strategy("dfs"))),
        dfs_(static_cast<Dfs&>(strategies()[index_].instance())) {}

  void go(Result& result) {
    if (auto ok = findings_.load_filters(); !ok) {
      result.error = ok.error();
      return;
    }
    const auto runner = in_process_runner(session_);  // sets the engine up
    const Options& o = session_.options;
    const double start = monotonic_seconds();
    std::uint64_t since = 0;  // the sites last changed
    bool complete = false, failed = false;
    while (result.executions < o.executions && !interrupted(session_) &&
           !((result.executions & 63) == 63 && out_of_time(session_))) {
      Plan plan;
      plan.strategy = index_;
      plan.patience = Plan::kExact;
      plan.watches = watches_;
      plan.index = since;
      const Outcome& out = engine().execute(plan, Profile(), dfs_, session_.body, nullptr);
      if (given_up(session_, out)) break;
      if (out.again) {  // a thread may only repeat itself: from the start, with an eye on that
        watches_ = true;
        since = left_out_ = 0;
        held_back_ = false;
        continue;
      }
      if (session_.coverage) measure(session_, result.executions);
      ++result.executions;
      ++since;
      left_out_ += out.left_out;
      held_back_ |= out.held_back;
      if (out.skipped) {
        result.skipped = true;
        break;
      }
      const bool again = learn_races(result);
      if (out.failure.kind != FindingKind::none) {
        hand_over(capture());
        const bool told =
            findings_.add_failure(result, replay_plan(), out.failure, result.executions);
        failed = true;  // even if nobody wants to hear of it: then nothing is promised
        if (told && !o.keep_going) break;
      }
      if (again) {
        engine().clear_sites();
        for (const std::uint64_t pc : known_.promoted) engine().set_site(pc, kPromoted);
        sites_ = static_cast<std::uint32_t>(known_.promoted.size());
        since = left_out_ = 0;
        held_back_ = false;
        continue;
      }
      if (raced_ && o.stop_on_race) break;
      if (!dfs_.advance()) {
        complete = true;
        break;
      }
    }
    result.seconds = monotonic_seconds() - start;
    for (const Uncontrolled& u : engine().all_uncontrolled())
      result.uncontrolled.emplace_back(u.what);
    result.complete = complete && !failed && result.uncontrolled.empty();
    if (result.complete) result.guarantee = promise(result, since);
  }

 private:
  static Plan replay_plan() {
    Plan p;
    p.strategy = kReplayStrategy;
    p.patience = Plan::kExact;
    return p;
  }

  // A prefix of choices means nothing to another process: the execution is made once more, here,
  // with the recorder, and handed on as departures from the default schedule.
  std::vector<Deviation> capture() {
    const auto recorder = std::make_unique<Recorder>();
    Plan same;
    same.strategy = index_;
    same.patience = Plan::kExact;
    same.index = 1;  // not the first: the path is kept
    give_up_when(nullptr);
    engine().execute(same, Profile(), dfs_, session_.body, recorder.get());
    engine().races().forget_found();
    give_up_in_time(session_);
    return deviations_of(recorder->trace());
  }

  void hand_over(const std::vector<Deviation>& d) {
    Assignment& a = keeper_.assignment();
    fill(a, known_, sites_, Profile());
    a.deviation_count =
        static_cast<std::uint32_t>(std::min<std::size_t>(d.size(), Assignment::kSteps));
    std::copy(d.begin(), d.begin() + a.deviation_count, a.deviations);
  }

  // True if there are new scheduling points.
  bool learn_races(Result& result) {
    if (engine().races().found().empty()) return false;
    std::vector<Problem> fresh(engine().races().found().begin(), engine().races().found().end());
    engine().races().forget_found();
    const std::vector<Deviation> path = capture();
    bool again = false;
    for (const Problem& r : fresh) {
      known_.races.push_back({replay_plan(), r, sites_, Profile()});
      hand_over(path);
      raced_ |= findings_.add_race(result, replay_plan(), r, result.executions);
    }
    if (session_.settings.preempt == Preempt::race)
      for (const Problem& r : fresh) {
        if (class_of(r.place.kind) == EventClass::access) again |= known_.promote(r.place.pc);
        if (class_of(r.other.kind) == EventClass::access)
          again |= known_.promote(whole(r.place.pc, r.other.pc));
      }
    return again;
  }

  std::string promise(const Result& result, std::uint64_t executed) const {
    return std::string("all schedules with preemptions at ") +
           scheduling_points(session_.settings.preempt) +
           ", in which a thread that is back in the very state that it was in lets another go "
           "first (" +
           in_words(session_.settings.bounds, left_out_ > 0 || held_back_) +
           "): " + std::to_string(executed - left_out_) + " executed, " +
           verdict_on_rest(result, !known_.races.empty(), session_.provided);
  }

  const Session& session_;
  Keeper& keeper_;
  Findings findings_;
  std::uint16_t index_;
  Dfs& dfs_;
  Known known_;
  std::uint32_t sites_ = 0;     // promoted sites in force
  std::uint64_t left_out_ = 0;  // executions beyond a bound, since then
  bool held_back_ = false;      // a thread was kept from going beyond it
  bool watches_ = false;        // see Plan::watches
  bool raced_ = false;          // a race is among the findings
};

}  // namespace

void run_exhaustively(const Session& session, Keeper& keeper, Result& result) {
  Exhaustive(session, keeper).go(result);
}

}  // namespace jostle::explore
