#include "explore/checking.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "explore/attempts.h"
#include "explore/changed_lines.h"
#include "explore/checkpoint.h"
#include "explore/findings.h"
#include "explore/known.h"
#include "explore/rounds.h"
#include "explore/status.h"
#include "options/options.h"

namespace jostle::explore {
namespace {

using checking::Checker;
using checking::Planned;

// "4200000 (a guess that lately moved 1.3 times)"; "": nobody knows.
std::string about(const checking::Estimate& e) {
  const double total = e.total(), spread = e.spread();
  if (total < 1 || spread == 0) return "";
  char text[80];
  // Two digits are all that it is worth.
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(total)) - 1));
  std::snprintf(text, sizeof text, "%.0f (a guess that lately moved %.*f times)",
                std::round(total / unit) * unit, spread < 10 ? 1 : 0, spread);
  return text;
}

class Checking {
 public:
  Checking(Session& session, Executor& executor)
      : session_(session), executor_(executor), findings_(session, executor) {}

  void go(Result& result);

 private:
  bool prepare(Result& result);
  // False when the check is over.
  static void note_uncontrolled(const Attempts& attempts, Result& result);
  bool take(Result& result, checking::NodeId node, const Attempt& a);
  bool learn(const Attempt& a);
  bool tell_races(Result& result);
  void restart();
  void copy_path(const std::vector<Deviation>& d);
  void show_status(const Result& result) const;
  std::string why_incomplete(const Result& result) const;
  std::string promise(const Result& result) const;
  bool asked_for_all() const { return session_.options.reduction == Options::Reduction::none; }
  static Plan replay_plan() {
    Plan p;
    p.strategy = kReplayStrategy;
    p.patience = Plan::kExact;
    return p;
  }

  Session& session_;
  Executor& executor_;
  Findings findings_;
  std::uint32_t bound_ = checking::kUnbounded;
  std::unique_ptr<Checker> checker_;
  Known known_;
  std::vector<std::vector<Deviation>> race_paths_;  // of known_.races
  std::size_t told_ = 0;                            // of known_.races
  Terms terms_;
  std::uint64_t total_ = 0;
  bool failed_ = false, out_of_time_ = false, enough_ = false, restarts_ = false, watches_ = false,
       too_large_ = false, too_many_limits_ = false;
  // Executions without reduction, if it is not the user who wants that. See Checker::is_exact().
  static constexpr std::uint64_t kMostUnreduced = 50'000;
};

// Of the sides of a race; the others are scheduling points already.
bool can_be_point(EventKind k) { return class_of(k) == EventClass::access || k == EventKind::free; }

// What priorities ask about the program's text.
checking::Code code_of(report::Symbols& symbols) {
  checking::Code c;
  c.function = [&symbols](std::uint64_t pc) {
    std::string all;
    for (const auto& f : symbols.frames(pc)) all += f.function + "\n";
    return all;
  };
  c.variable = [&symbols](Address a) {
    std::uint64_t offset = 0;
    return symbols.data_symbol(a, offset);
  };
  c.recent = [&symbols, lines = ChangedLines()](const std::vector<std::string>& what,
                                                std::uint64_t pc) mutable {
    lines.read(what);
    for (const auto& f : symbols.frames(pc))
      if (lines.has(f.file, f.line)) return true;
    return false;
  };
  return c;
}

bool Checking::prepare(Result& result) {
  const Options& o = session_.options;
  if (auto ok = findings_.load_filters(); !ok) {
    result.error = ok.error();
    return false;
  }
  auto search = checking::make_search(o, code_of(findings_.symbols()));
  if (!search) {
    result.error = search.error();
    return false;
  }
  bound_ = search->preemptions;
  checker_ = std::make_unique<Checker>(std::move(*search));
  checker_->spill_into(o.output);
  return true;
}

void Checking::go(Result& result) {
  if (!prepare(result)) return;
  const Options& o = session_.options;
  const double start = monotonic_seconds();
  Checkpoint checkpoint(session_);
  const CheckState state{*checker_, terms_, known_, race_paths_, total_, failed_, result};
  double before = 0;  // of a check that goes on
  if (std::string why; o.resume && !checkpoint.load(state, why))
    result.notes.push_back("nothing to go on with, from the start: " + why);
  before = result.seconds;
  for (const auto* told : {&result.findings, &result.accepted})
    for (const Finding& f : *told) findings_.told_before(f);
  const auto attempts =
      session_.whole_program() || o.jobs > 1 || o.isolation != Options::Isolation::none
          ? attempts_elsewhere(session_, o.jobs)
          : attempts_here(session_);
  const bool several = o.jobs > 1;
  double waited = 0;  // for other processes
  std::vector<Planned> plans(1);
  std::vector<Attempt> made;
  bool more = true;
  for (std::uint64_t turn = 0; more; ++turn) {
    if (interrupted(session_)) break;
    if (total_ >= o.executions) {
      enough_ = true;
      break;
    }
    if (o.budget > 0 && ((turn & 63) == 63 || attempts->room() > 1) && out_of_time(session_)) {
      out_of_time_ = true;
      break;
    }
    if (checker_->unreduced() && !asked_for_all() &&
        checker_->counts().executed >= kMostUnreduced) {
      too_many_limits_ = true;
      break;
    }
    if (o.memory > 0 && !checker_->shrink_to(std::uint64_t{o.memory} << 20)) {
      too_large_ = true;
      break;
    }
    const std::uint64_t room = std::min<std::uint64_t>(attempts->room(), o.executions - total_);
    std::size_t n = 0;
    for (; n < room; ++n) {
      if (plans.size() <= n) plans.emplace_back();
      if (!checker_->next(plans[n])) break;
    }
    if (n == 0) {
      const checking::Counts& c = checker_->counts();
      if (checker_->is_exact() || (failed_ && !o.keep_going) || checker_->lost() || c.truncated ||
          !c.beyond.empty())
        break;
      checker_->start_unreduced();
      continue;
    }
    plans.resize(n);
    const double asked = several ? monotonic_seconds() : 0;
    attempts->make(plans, checker_->names(), terms_, made);
    if (several) waited += monotonic_seconds() - asked;
    for (std::size_t i = 0; i < made.size() && more; ++i) {
      more = take(result, plans[i].node, made[i]);
      if (!restarts_) continue;
      // The others do not count, but a process reports a race only once.
      while (++i < made.size())
        if (!made[i].outcome.again) learn(made[i]);
      restart();
    }
    if (made.size() < n) {  // the rest is still to be made
      out_of_time_ = !interrupted(session_);
      for (std::size_t i = made.size(); i < n; ++i) checker_->give_back(plans[i].node);
      break;
    }
    if ((turn & 255) == 255 || attempts->room() > 1) {
      result.seconds = before + monotonic_seconds() - start;
      note_uncontrolled(*attempts, result);
      checkpoint.save_now_and_then(state);
    }
    if (session_.status && (turn & 255) == 0) show_status(result);
  }
  result.seconds = before + monotonic_seconds() - start;
  const checking::Counts& c = checker_->counts();
  result.executions = checker_->unreduced() && !asked_for_all() ? c.classes : c.executed;
  result.executions_total = total_;
  result.blocked = c.blocked;
  result.classes = c.classes > 0 ? c.classes : c.executed;
  result.peak_nodes = checker_->tree().peak();
  result.live_nodes = checker_->tree().live();
  result.estimated = static_cast<std::uint64_t>(checker_->estimate().total());
  result.estimate_spread = checker_->estimate().spread();
  if (several && result.seconds > before)
    result.speedup =
        (attempts->busy() + result.seconds - before - waited) / (result.seconds - before);
  tell_races(result);
  for (std::string& what : checker_->unmet())
    result.notes.push_back("option priority: " + std::move(what));
  note_uncontrolled(*attempts, result);
  result.incomplete = why_incomplete(result);
  result.complete = result.incomplete.empty();
  if (result.speedup > 0) {
    char text[80];
    std::snprintf(text, sizeof text, "%u processes: %.1f times as fast as one", o.jobs,
                  result.speedup);
    result.notes.emplace_back(text);
  }
  if (!result.complete && checker_->fringe() > 0 && result.findings.empty())
    if (const std::string all = about(checker_->estimate()); !all.empty())
      result.notes.push_back(std::to_string(total_) + " executions were made, perhaps of " + all +
                             "; the search tree has " + std::to_string(result.live_nodes) +
                             " nodes, and had " + std::to_string(result.peak_nodes) + " at most");
  if (checker_->fringe() == 0 || result.skipped || (!result.findings.empty() && !o.keep_going))
    checkpoint.remove();
  else
    checkpoint.save(state);
  if (result.complete) result.guarantee = promise(result);
}

// By executions of this process, and of those that it goes on with.
void Checking::note_uncontrolled(const Attempts& attempts, Result& result) {
  std::vector<std::string> here;
  attempts.uncontrolled(here);
  auto& all = result.uncontrolled;
  for (std::string& what : here)
    if (std::find(all.begin(), all.end(), what) == all.end()) all.push_back(std::move(what));
}

bool Checking::take(Result& result, checking::NodeId node, const Attempt& a) {
  const Options& o = session_.options;
  ++total_;
  if (a.outcome.again) {  // the same once more, and all others from now on
    watches_ = restarts_ = true;
    --total_;
    return true;
  }
  if (a.outcome.skipped) {
    result.skipped = true;
    return false;
  }
  // New scheduling points: what is promised in the end holds for one set of them.
  if (!a.races.empty() && learn(a)) restarts_ = true;
  if (a.outcome.failure.kind != FindingKind::none) {
    fill(executor_.assignment(), known_, static_cast<std::uint32_t>(terms_.promoted.size()),
         Profile());
    copy_path(deviations_of(*a.log));
    const bool told = findings_.add_failure(result, replay_plan(), a.outcome.failure, total_);
    failed_ = true;  // even if nobody wants to hear of it: then nothing is promised
    if (told && !o.keep_going) {
      checker_->absorb(node, *a.log, a.followed);
      return false;
    }
    if (result.findings.size() >= kMostFindings) return false;
  }
  if (!restarts_)
    checker_->absorb(node, *a.log, a.followed, a.outcome.left_out, a.outcome.held_back);
  return !(o.stop_on_race && tell_races(result));
}

// Adds those that were not yet to the findings. True if there is one that the user did not know.
bool Checking::tell_races(Result& result) {
  bool news = false;
  for (; told_ < known_.races.size() && result.findings.size() < kMostFindings; ++told_) {
    const Known::Race& r = known_.races[told_];
    fill(executor_.assignment(), known_, r.promoted, r.profile);
    copy_path(race_paths_[told_]);
    news |= findings_.add_race(result, replay_plan(), r.race, r.plan.index);
  }
  return news;
}

void Checking::restart() {
  terms_.watches |= watches_;
  terms_.promoted = known_.promoted;
  checker_->start();
  restarts_ = false;
}

// True if there are new scheduling points.
bool Checking::learn(const Attempt& a) {
  bool again = false;
  for (const Problem& race : a.races) {
    bool known = false;
    for (const Known::Race& r : known_.races) known |= same_race(r.race, race);
    if (known) continue;
    Plan plan = replay_plan();
    plan.index = total_;
    known_.races.push_back(
        {plan, race, static_cast<std::uint32_t>(terms_.promoted.size()), Profile()});
    race_paths_.push_back(deviations_of(*a.log));
    if (session_.settings.preempt != Preempt::race) continue;
    if (can_be_point(race.place.kind)) again |= known_.promote(race.place.pc);
    if (can_be_point(race.other.kind)) again |= known_.promote(whole(race.place.pc, race.other.pc));
  }
  return again;
}

void Checking::copy_path(const std::vector<Deviation>& d) {
  Assignment& a = executor_.assignment();
  a.deviation_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(d.size(), Assignment::kSteps));
  std::copy(d.begin(), d.begin() + a.deviation_count, a.deviations);
}

void Checking::show_status(const Result& result) const {
  std::string rest = std::to_string(checker_->fringe()) + " to be made";
  if (const std::string all = about(checker_->estimate()); !all.empty())
    rest += ", perhaps " + all + " in all";
  rest += "  depth " + std::to_string(checker_->counts().deepest) + "  preemptions " +
          std::to_string(checker_->counts().preemptions);
  session_.status->so_far(total_, result.findings.size(), rest);
}

std::string Checking::why_incomplete(const Result& result) const {
  const checking::Counts& c = checker_->counts();
  if (result.skipped) return "the test was skipped";
  if (interrupted(session_)) return "it was interrupted";
  if (failed_)
    return result.findings.empty() ? "an execution failed, in a way that is known or left out"
                                   : "an execution failed";
  if (out_of_time_) return "the budget of " + value_of(session_.options, "budget") + " is used up";
  if (enough_)
    return "the limit of " + std::to_string(session_.options.executions) + " executions is reached";
  if (too_large_)
    return "the schedules that are still to be executed take more than " +
           std::to_string(session_.options.memory) + " MB (option memory)";
  if (too_many_limits_)
    return "threads wait with limits, and there are too many schedules to execute all of them: "
           "what time does to each other's limits is not reduced (--reduction none goes on)";
  if (checker_->lost()) return "schedules that were put away on disk could not be read again";
  if (c.truncated) return "an execution was too long to be followed";
  if (!c.beyond.empty()) return "the program " + c.beyond;
  if (c.departed > 0)
    return std::to_string(c.departed) + (c.departed == 1 ? " planned order" : " planned orders") +
           " could not be followed: does the program do the same under the same schedule?";
  if (!result.uncontrolled.empty()) return "not controlled: " + result.uncontrolled.front();
  if (checker_->fringe() > 0) return "the search was stopped";
  if (c.executed == 0 && c.left_out > 0)
    return "in every execution a thread takes back more turns of a loop than option retries "
           "allows (" +
           value_of(session_.options, "retries") + "), or sees the same at one place more than " +
           std::to_string(Bounds::kLooks) + " times in a row";
  return "";
}

std::string Checking::promise(const Result& result) const {
  const checking::Counts& c = checker_->counts();
  char preempted[80] = "all schedules with preemptions";
  if (bound_ != checking::kUnbounded)
    std::snprintf(preempted, sizeof preempted, "all schedules with at most %u preemption%s,",
                  bound_, bound_ == 1 ? "" : "s");
  std::string executed = std::to_string(c.executed) + " executed";
  if (c.classes == 0)
    executed += ", one for each that could make a difference";
  else if (c.classes != c.executed)
    executed += ", " + std::to_string(c.classes) + " of them different";
  if (bound_ != checking::kUnbounded && !checker_->unreduced())
    executed +=
        " (what is within the bound only because a thread waits elsewhere may be missing; "
        "--reduction none has it)";
  return std::string(preempted) + " at " + scheduling_points(session_.settings.preempt) + " (" +
         in_words(session_.settings.bounds, c.left_out > 0 || c.held_back) + "): " + executed +
         ", " + verdict_on_rest(result, !known_.races.empty(), session_.provided);
}

}  // namespace

void run_check(Session& session, Executor& executor, Result& result) {
  Checking(session, executor).go(result);
}

}  // namespace jostle::explore
