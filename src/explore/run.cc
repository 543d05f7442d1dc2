// jostle::run(): random strategies, as a portfolio, in rounds.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "explore/exhaustive.h"
#include "explore/findings.h"
#include "explore/framework.h"
#include "explore/interrupt.h"
#include "explore/known.h"
#include "explore/portfolio.h"
#include "explore/replaying.h"
#include "explore/results.h"
#include "explore/rounds.h"
#include "explore/run_program.h"
#include "explore/schedules.h"
#include "explore/status.h"
#include "options/config.h"
#include "options/options.h"
#include "report/frames.h"
#include "report/write_results.h"
#include "runtime/self.h"
#include "runtime/tsan/access.h"

namespace jostle {
namespace {

using namespace explore;

class Run {
 public:
  Run(const Session& session, Keeper& keeper, Runner& runner, Portfolio portfolio)
      : session_(session),
        keeper_(keeper),
        runner_(runner),
        portfolio_(portfolio),
        findings_(session, keeper) {}

  void go(Result& result) {
    if (auto ok = findings_.load_filters(); !ok) {
      result.error = ok.error();
      return;
    }
    const double start = monotonic_seconds();
    const Options& o = session_.options;
    Round& round = *round_;
    round.seed = mix64(o.seed);
    round.length = 20;
    if (o.budget > 0) round.deadline = start + o.budget;
    // Short rounds first: what races promote can only be used in the next one.
    std::uint64_t size = 8;
    bool more = true;
    while (more && result.executions < o.executions) {
      round.first = result.executions;
      round.count = std::min<std::uint64_t>(size, o.executions - result.executions);
      portfolio_.fill(round);
      round.promoted_count = static_cast<std::uint32_t>(known_.promoted.size());
      for (std::size_t i = 0; i < known_.promoted.size(); ++i)
        round.promoted[i] = known_.promoted[i];
      more = merge(result, runner_.run(round)) && !interrupted();
      if (session_.status)
        session_.status->after_round(result.executions, behaviours_,
                                     known_.races.size() + result.findings.size(),
                                     portfolio_.favourites());
      if (size < 4096) size *= 2;
    }
    for (const Known::Race& r : known_.races) {
      if (result.findings.size() >= 25) break;
      fill(keeper_.assignment(), known_, r.promoted, r.profile);
      findings_.add_race(result, r.plan, r.race, r.plan.index + 1);
    }
    result.seconds = monotonic_seconds() - start;
  }

 private:
  // False when the run is over.
  bool merge(Result& result, const std::vector<Share*>& shares) {
    Round& round = *round_;
    // The failure with the smallest number counts, whoever came first.
    const Share* failed = nullptr;
    bool over = false;
    for (const Share* s : shares) {
      if (s->failed && (!failed || s->failure_plan.index < failed->failure_plan.index)) failed = s;
      result.skipped |= s->skipped;
      over |= s->out_of_time || s->skipped;
    }
    const std::uint64_t end = failed ? failed->failure_plan.index + 1 : round.first + round.count;
    std::map<std::uint64_t, std::vector<std::uint32_t>> fresh;
    std::map<std::pair<std::uint64_t, std::uint32_t>, const Problem*> races;
    std::map<std::pair<std::uint64_t, std::uint32_t>, Plan> race_plans;
    std::uint64_t executed = 0;
    for (const Share* s : shares) {
      executed += s->executed;
      for (std::uint32_t i = 0; i < s->fresh_count; ++i)
        if (s->fresh[i].index < end) fresh[s->fresh[i].index].push_back(s->fresh[i].behaviour);
      for (std::uint32_t i = 0; i < s->race_count; ++i)
        if (s->races[i].plan.index < end) {
          races[{s->races[i].plan.index, i}] = &s->races[i].race;
          race_plans[{s->races[i].plan.index, i}] = s->races[i].plan;
        }
      for (std::uint32_t i = 0; i < s->uncontrolled_count; ++i)
        add_uncontrolled(result, s->uncontrolled[i]);
      if (s->length) {
        next_length_ = s->length;
        next_profile_ = s->profile;
      }
    }
    std::vector<std::uint32_t> behaviours;
    for (const auto& [index, bits] : fresh)
      for (const std::uint32_t b : bits) {
        if (seen_[b >> 6] >> (b & 63) & 1) continue;
        seen_[b >> 6] |= 1ull << (b & 63);
        behaviours.push_back(b);
        ++behaviours_;
        portfolio_.credit(round.arms == 1 ? 0 : round.arm_of(index), 1);
      }
    if (round.arms > 1) {
      for (std::uint64_t i = round.first; i < round.first + round.count; i += Round::kBurst)
        portfolio_.used(round.arm_of(i), Round::kBurst);
      portfolio_.end_round();
    }
    runner_.learned(behaviours);
    bool raced = false;
    for (const auto& [key, race] : races) raced |= note_race(*race, race_plans[key]);

    result.executions = failed ? end : round.first + executed;
    if (failed) {
      const std::uint32_t promoted = round.promoted_count;
      fill(keeper_.assignment(), known_, promoted, round.profile);
      // One that the user does not want to hear of does not end the search.
      const bool told = findings_.add_failure(result, failed->failure_plan, failed->failure, end);
      if (told && !session_.options.keep_going) over = true;
      if (result.findings.size() >= 25) over = true;
    }
    if (raced && session_.options.stop_on_race) over = true;
    if (next_length_) {
      round.length = next_length_;
      round.profile = next_profile_;
    }
    return !over;
  }

  bool note_race(const Problem& race, const Plan& plan) {
    for (const Known::Race& r : known_.races)
      if (same_race(r.race, race)) return false;
    known_.races.push_back({plan, race, round_->promoted_count, round_->profile});
    if (session_.settings.preempt == Preempt::race) {
      if (class_of(race.place.kind) == EventClass::access) known_.promote(race.place.pc);
      if (class_of(race.other.kind) == EventClass::access)
        known_.promote(whole(race.place.pc, race.other.pc));
    }
    return true;
  }

  static void add_uncontrolled(Result& result, const Uncontrolled& u) {
    for (const std::string& s : result.uncontrolled)
      if (s == u.what) return;
    result.uncontrolled.push_back(u.what);
  }

  const Session& session_;
  Keeper& keeper_;
  Runner& runner_;
  Portfolio portfolio_;
  Findings findings_;
  Known known_;
  std::unique_ptr<Round> round_ = std::make_unique<Round>();
  std::uint32_t next_length_ = 0;
  Profile next_profile_;
  std::uint64_t seen_[Scheduler::kBehaviours / 64] = {};
  std::uint64_t behaviours_ = 0;
};

void finish_report(const Session& session, Result& result) {
  if (auto written = write_results(session, result); !written)
    result.error += (result.error.empty() ? "" : "; ") + written.error();
  std::string& r = result.report;
  for (const Finding& f : result.findings) r += f.report + "\n";
  char line[300];
  const double rate =
      result.seconds > 0 ? static_cast<double>(result.executions) / result.seconds : 0;
  if (result.executions > 0) {
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
    if (result.findings.empty())
      std::snprintf(line, sizeof line, "%s%llu execution%s%s, nothing found\n", head.c_str(), n,
                    n == 1 ? "" : "s", time.c_str());
    else
      std::snprintf(line, sizeof line, "%s%zu finding%s in %llu execution%s%s\n", head.c_str(),
                    result.findings.size(), result.findings.size() == 1 ? "" : "s", n,
                    n == 1 ? "" : "s", time.c_str());
    r += line;
  }
  if (result.interrupted) r += "jostle: interrupted: the search has not come to its end\n";
  if (!result.guarantee.empty()) r += "jostle: " + result.guarantee + "\n";
  if (!session.why_forked.empty())
    r += "jostle: a process for each execution, because the program's state cannot be put back: " +
         session.why_forked + "\n";
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

// From a file if JOSTLE_CONFIG names one, then the code, then the environment.
Expected<bool> read_options(Options& o, const Options& given) {
  if (const char* config = std::getenv("JOSTLE_CONFIG"); config && *config) {
    const std::string names[] = {std::string(report::base_name(program_path())),
                                 given.name.empty() ? framework_test_name() : given.name};
    if (auto ok = apply_config(o, config, names); !ok) return ok;
    overlay(o, given);
  } else {
    o = given;
  }
  return apply_environment(o, const_cast<const char* const*>(environ));
}

// How often run() was called in this test, by name.
std::map<std::string, int>& calls() {
  static std::map<std::string, int> c;
  return c;
}

}  // namespace

void begin_test() { calls().clear(); }

namespace {

void start_progress(Session& session) {
  static auto* const progress = static_cast<Progress*>(map_pages(sizeof(Progress), true));
  progress->share.running = false;
  session.progress = progress;
  session.on_orphaned = &report_last_execution;
}

std::unique_ptr<Runner> runner_for(Session& session) {
  const Options& o = session.options;
  if (o.strategy == "delay") return delaying_runner(session);
  if (o.isolation == Options::Isolation::fork) return forking_runner(session, o.jobs);
  if (o.isolation == Options::Isolation::snapshot && !session.kernel_threads())
    return snapshot_runner(session, o.jobs, session.why_forked);
  if (session.whole_program()) return forking_runner(session, o.jobs);
  if (o.jobs > 1) return worker_runner(session, o.jobs);
  return in_process_runner(session);
}

// Everything between the options and the report.
void search(Session& session, Result& result) {
  const Options& o = session.options;
  {
    Keeper keeper(session);
    const Interruptible here;
    Status status(session.whole_program() && !o.quiet);
    session.status = &status;
    if (!keeper.alive()) {
      result.error = "cannot fork: no process can be made to confirm findings";
    } else if (!o.replay.empty()) {
      follow_schedule(session, keeper, result);
    } else if (o.strategy == "dfs") {
      run_exhaustively(session, keeper, result);
    } else if (auto portfolio = Portfolio::make(o.strategy, o.depth); !portfolio) {
      result.error = portfolio.error();
    } else {
      Run(session, keeper, *runner_for(session), *portfolio).go(result);
    }
    session.status = nullptr;
    result.interrupted = here.signal();
  }
  finish_report(session, result);
  // A test framework says itself that all is well.
  const bool whole = session.whole_program();
  if (o.verbose || (!result.ok() && (whole || !o.quiet)) || (whole && !o.quiet))
    std::fputs(result.report.c_str(), stderr);
}

Result failed(const std::string& error) {
  Result result;
  result.error = error;
  result.report = "jostle: error: " + error + "\n";
  std::fputs(result.report.c_str(), stderr);
  return result;
}

}  // namespace

Result run(const std::function<void()>& body, const Options& given) {
  Session session;
  if (auto ok = read_options(session.options, given); !ok) return failed(ok.error());
  const Options& o = session.options;
  if (o.isolation == Options::Isolation::snapshot || o.isolation == Options::Isolation::spawn)
    return failed("isolation=" + value_of(o, "isolation") +
                  " is for whole programs (jostle run); here it is none or fork");
  if (o.off || t_self != nullptr) {
    body();  // natively; a run inside a run is part of the outer one
    Result result;
    result.executions = 1;
    return result;
  }
  session.name = o.name.empty() ? framework_test_name() : o.name;
  // Several runs in one test are told apart by their number.
  if (const int n = ++calls()[session.name]; n > 1) session.name += "#" + std::to_string(n);
  session.settings = settings_of(o);
  if (report::wants_results(o)) session.recorded = std::make_shared<Recorded>();
  if (!o.replay.empty()) adopt_schedule(session);
  session.body = {[](void* f) { (*static_cast<const std::function<void()>*>(f))(); },
                  const_cast<void*>(static_cast<const void*>(&body))};
  start_progress(session);
  Result result;
  const FrameworkSession framework;
  search(session, result);
  if (result.interrupted) {  // told; now as one would without us
    std::signal(result.interrupted, SIG_DFL);
    std::raise(result.interrupted);
  }
  return result;
}

namespace explore {

Result run_program(const Options& options, const Surroundings& surroundings) {
  Session session;
  session.options = options;
  session.name = options.name;
  session.settings = settings_of(options);
  session.settings.whole_program = true;
  session.surroundings = surroundings;
  if (report::wants_results(options)) session.recorded = std::make_shared<Recorded>();
  if (!options.replay.empty()) adopt_schedule(session);
  start_progress(session);
  session.on_orphaned = nullptr;
  Result result;
  if (!g_instrumented)
    result.uncontrolled.emplace_back(
        "memory accesses: the program was not built with 'jostle cc', so races are not seen, and "
        "threads are interrupted at synchronisation only");
  search(session, result);
  return result;
}

}  // namespace explore
}  // namespace jostle
