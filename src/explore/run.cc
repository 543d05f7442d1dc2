// jostle::run(), and the same for whole programs.
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <jostle/system.hpp>
#include <limits>
#include <map>

#include "events/files.h"
#include "explore/attempts.h"
#include "explore/blind_spots.h"
#include "explore/checking.h"
#include "explore/coverage_text.h"
#include "explore/covering.h"
#include "explore/exhaustive.h"
#include "explore/findings.h"
#include "explore/framework.h"
#include "explore/interrupt.h"
#include "explore/known.h"
#include "explore/measure.h"
#include "explore/portfolio.h"
#include "explore/replaying.h"
#include "explore/requests.h"
#include "explore/results.h"
#include "explore/rounds.h"
#include "explore/run_program.h"
#include "explore/schedules.h"
#include "explore/scripting.h"
#include "explore/search.h"
#include "explore/self_check.h"
#include "explore/show.h"
#include "explore/spawn.h"
#include "explore/status.h"
#include "explore/system_scripting.h"
#include "options/config.h"
#include "options/options.h"
#include "report/frames.h"
#include "report/suppress.h"
#include "report/write_results.h"
#include "runtime/instructions.h"
#include "runtime/self.h"
#include "runtime/start_point.h"
#include "runtime/tsan/access.h"
#include "trace/file_io.h"

namespace jostle {
namespace {

using namespace explore;

// The budget was used up in the middle of an execution.
std::string unfinished(const Session& session, const Result& result) {
  const std::uint32_t steps = session.progress->steps;
  const bool none = result.executions + result.executions_total == 0 && result.findings.empty();
  return (none ? "error: no execution came to its end: " : "") + std::string("the budget of ") +
         value_of(session.options, "budget") + " ended inside " +
         (none ? "the first one" : "an execution, which does not count") +
         (steps > 0 ? " (after " + std::to_string(steps) + " steps)" : "");
}

// Of a whole program, `jostle run` says so.
bool executed_nothing(const Session& session, const Result& result) {
  return !session.whole_program() && result.executions + result.executions_total == 0 &&
         !result.skipped && result.error.empty() && !result.coverage.measured &&
         result.findings.empty() && result.accepted.empty() && !interrupted(session);
}

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// Puts what was found into the baseline, if that is asked for.
void accept_findings(const Session& session, Result& result) {
  const Options& o = session.options;
  if (!o.update_baseline || !o.replay.empty() || result.findings.empty()) return;
  std::vector<std::string> fingerprints;
  for (const Finding& f : result.findings) fingerprints.push_back(f.fingerprint);
  if (const auto ok = report::Baseline::add_to(o.baseline, fingerprints); !ok) {
    result.error += (result.error.empty() ? "" : "; ") + ok.error();
    return;
  }
  std::move(result.findings.begin(), result.findings.end(), std::back_inserter(result.accepted));
  result.findings.clear();
}

// What was found, and not known before.
std::size_t news(const Result& result) {
  return result.findings.size() +
         static_cast<std::size_t>(std::count_if(result.accepted.begin(), result.accepted.end(),
                                                [](const Finding& f) { return !f.known; }));
}

std::string sum_of(const Result& result) {
  if (const std::size_t n = news(result); n > 0) return counted(n, "finding");
  return result.accepted.empty() ? "nothing found" : "nothing new found";
}

std::string about_baseline(const Session& session, const Result& result) {
  std::string known, text;
  std::size_t added = 0;
  for (const Finding& f : result.accepted) {
    if (f.known)
      known += "jostle: known: " + f.report;
    else
      ++added;
  }
  if (added > 0)
    text = "jostle: " + counted(added, "finding") + " added to the baseline '" +
           session.options.baseline + "': the run does not fail because of " +
           (added == 1 ? "it" : "them") + "\n";
  if (added >= kMostFindings)
    text += "jostle: there may be more: so many end a search; update the baseline again\n";
  return known + text;
}

void finish_report(const Session& session, Result& result) {
  accept_findings(session, result);
  if (auto written = write_results(session, result); !written)
    result.error += (result.error.empty() ? "" : "; ") + written.error();
  if (const std::string& file = session.options.plot; !file.empty() && result.coverage.measured)
    if (auto written = write_file(file, coverage_plot(result, session.name)); !written)
      result.error += (result.error.empty() ? "" : "; ") + written.error();
  std::string& r = result.report;
  const bool early = interrupted(session);
  for (const Finding& f : result.findings) r += f.report + "\n";
  for (const Finding& f : result.accepted)
    if (!f.known) r += f.report + "\n";
  const std::string sum = sum_of(result);
  const bool found = news(result) > 0;
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
      std::snprintf(text, sizeof text, found ? " (%.2f s)" : " (%.0f/s)",
                    found ? result.seconds : rate);
      time = text;
    }
    if (early)
      std::snprintf(line, sizeof line, "%sinterrupted after %llu execution%s, %s\n", head.c_str(),
                    n, n == 1 ? "" : "s", sum.c_str());
    else if (found)
      std::snprintf(line, sizeof line, "%s%s in %llu execution%s%s\n", head.c_str(), sum.c_str(), n,
                    n == 1 ? "" : "s", time.c_str());
    else
      std::snprintf(line, sizeof line, "%s%llu execution%s%s, %s\n", head.c_str(), n,
                    n == 1 ? "" : "s", time.c_str(), sum.c_str());
    r += line;
  }
  r += about_baseline(session, result);
  if (result.coverage.measured) r += coverage_report(result.coverage, session.options.verbose);
  if (!result.guarantee.empty()) r += "jostle: " + result.guarantee + "\n";
  if (!result.incomplete.empty() && result.findings.empty())
    r += "jostle: not complete, because " + result.incomplete + "\n";
  if (!session.why_forked.empty())
    r += "jostle: a process for each execution, because the program's state cannot be put back: " +
         session.why_forked + "\n";
  for (const std::string& n : result.notes) r += "jostle: " + n + "\n";
  for (const std::string& u : result.uncontrolled) r += "jostle: not controlled: " + u + "\n";
  if (!result.error.empty()) r += "jostle: error: " + result.error + "\n";
}

void tell(const Session& session, const Result& result) {
  if (!session.whole_program()) std::fflush(stdout);
  show_report(result.report, session.asked_for());
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
  (void)findings.load_filters();  // it could, when the search began
  findings.add_failure(result, p.share.current, f.trace.outcome.failure, p.share.current.index + 1);
  result.executions = p.share.current.index + 1;
  finish_report(session, result);
  result.report = "jostle: the process died in execution " + std::to_string(result.executions) +
                  "\n" + result.report;
  tell(session, result);
}

// A name that nothing has is told by the search: see Portfolio::make().
void name_search(Session& session) {
  if (const auto kind = search_kind(session.options.strategy)) session.kind = *kind;
}

// From a file if JOSTLE_CONFIG names one, then the code, then the environment.
Expected<bool> read_options(Session& session, const Options& given) {
  Options& o = session.options;
  if (auto ok = validate(given); !ok) return ok;
  if (const char* config = std::getenv("JOSTLE_CONFIG"); config && *config) {
    const std::string names[] = {std::string(report::base_name(program_path())),
                                 given.name.empty() ? framework_test_name() : given.name};
    if (auto ok = apply_config(o, config, names); !ok) return ok;
    overlay(o, given);
  } else {
    o = given;
  }
  if (auto ok = apply_environment(o, const_cast<const char* const*>(environ)); !ok) return ok;
  // Whoever says how long it may take has said when it ends.
  if (o.budget > 0 && o.executions == Options().executions)
    o.executions = std::numeric_limits<std::uint64_t>::max();
  name_search(session);
  return true;
}

// Its barriers and critical sections are made of atomics that nobody sees, and system calls.
bool has_openmp() {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void*) {
               return std::strstr(info->dlpi_name, "/libgomp.so") ||
                              std::strstr(info->dlpi_name, "/libomp.so")
                          ? 1
                          : 0;
             },
             nullptr) != 0;
}

// For searches that end with a promise: it would not hold for what nobody sees.
void note_blind_spots(Session& session, Result& result) {
  if (!g_instrumented || !promises(session.kind)) return;
  const BlindSpots spots = blind_spots(session.options.trust);
  if (!spots.unknown.empty())
    result.uncontrolled.push_back(
        "memory accesses of " + in_words(spots.unknown) + ": not compiled with " +
        (session.whole_program() ? "'jostle cc'" : "jostle_instrument()") +
        " (option trust, if they share nothing)");
  if (!spots.trusted.empty()) session.provided = in_words(spots.trusted);
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
  // What is accepted ends no search.
  session.options.keep_going |= session.options.update_baseline;
  static auto* const progress = static_cast<Progress*>(map_pages(sizeof(Progress), true));
  progress->share.running = progress->given_up = false;
  const double budget = session.options.budget;
  progress->interruption.deadline = budget > 0 ? monotonic_seconds() + budget : 0;
  session.progress = progress;
  if (session.options.coverage && session.kind != SearchKind::cover)
    session.coverage = make_coverage_table();
  session.on_orphaned = &report_last_execution;
}

std::unique_ptr<Runner> runner_for(Session& session) {
  const Options& o = session.options;
  if (session.kind == SearchKind::delay) return delaying_runner(session);
  if (o.isolation == Options::Isolation::fork || o.isolation == Options::Isolation::spawn)
    return forking_runner(session, o.jobs);
  if (o.isolation == Options::Isolation::snapshot && !session.kernel_threads())
    return snapshot_runner(session, o.jobs, session.why_forked);
  if (session.whole_program()) return forking_runner(session, o.jobs);
  if (o.jobs > 1) return worker_runner(session, o.jobs);
  return in_process_runner(session);
}

[[noreturn]] void go_on_as(const Spawned& s, Session& session) {
  g_shared_file.used = s.at;
  switch (s.task) {
    case Spawned::Task::fresh:
      Keeper(session).execute();
    case Spawned::Task::share:
      go_on_with_share(session, s.which);
    case Spawned::Task::place:
      go_on_with_place(session, s.which);
  }
  _exit(1);
}

// Everything between the options and the report.
void search(Session& session, Result& result) {
  if (const auto& s = spawned()) go_on_as(*s, session);
  const Options& o = session.options;
  {
    const Interrupts interrupts(session.name, session.progress->interruption);
    Keeper keeper(session);
    Status status(session.whole_program() && !o.quiet);
    session.status = &status;
    if (!keeper.alive()) {
      result.error = "cannot fork: no process can be made to confirm findings";
    } else if (!o.replay.empty()) {
      follow_schedule(session, keeper, result);
    } else if (session.script) {
      run_script(session, keeper, result);
    } else if (session.whole_program() && !is_for_programs(session.kind)) {
      result.error = "strategy '" + o.strategy + "' is for test bodies only";
    } else if (session.kind == SearchKind::check) {
      run_check(session, keeper, result);
    } else if (session.kind == SearchKind::cover) {
      run_cover(session, keeper, result);
    } else if (session.kind == SearchKind::exhaustive) {
      run_exhaustively(session, keeper, result);
    } else if (auto portfolio = Portfolio::make(o.strategy, o.depth); !portfolio) {
      result.error = portfolio.error();
    } else {
      Search(session, keeper, *runner_for(session), *portfolio).go(result);
      if (session.whole_program() && result.findings.empty() && !result.skipped &&
          !interrupted(session) && !session.progress->given_up)
        check_determinism(session, keeper, result);
    }
    session.status = nullptr;
    if (session.progress->given_up && !interrupted(session))
      result.notes.push_back(unfinished(session, result));
    else if (executed_nothing(session, result))
      result.error = "nothing was executed";
    if (session.coverage) {
      const bool numbered = !promises(session.kind);
      if (o.replay.empty()) report_measured(session, numbered ? result.executions : ~0ull, result);
      drop_coverage_table(session.coverage);
      session.coverage = nullptr;
    }
    finish_report(session, result);
  }
  result.interrupted = session.progress->interruption.signal;
  // A test framework says itself that all is well.
  const bool whole = session.whole_program();
  // It became another program: that one is executed next, and reported.
  if (whole && result.skipped && !requests().exec.empty()) return;
  // Of a replay that passes, only Jostle knows what it is worth.
  const bool replayed = !whole && !o.replay.empty() && (result.executions > 0 || !o.quiet);
  if (o.verbose || result.interrupted || (result.ok() && replayed) ||
      (!result.ok() && (whole || !o.quiet)) || (whole && !o.quiet) ||
      (result.ok() && !result.accepted.empty()))
    tell(session, result);
}

Result failed(const std::string& error, bool quiet) {
  Result result;
  result.error = error;
  result.report = "jostle: error: " + error + "\n";
  if (!quiet) std::fputs(result.report.c_str(), stderr);
  return result;
}

Result explore_body(const std::function<void()>& body, const Options& given,
                    const ScriptCall* script) {
  Session session;
  if (auto ok = read_options(session, given); !ok) return failed(ok.error(), given.quiet);
  const Options& o = session.options;
  if (o.isolation == Options::Isolation::snapshot || o.isolation == Options::Isolation::spawn)
    return failed("isolation=" + value_of(o, "isolation") +
                      " is for whole programs (jostle run); here it is none or fork",
                  given.quiet);
  if (o.children == Options::Children::controlled)
    return failed("children=controlled is for whole programs (jostle run)", given.quiet);
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
  if (script) {
    if (session.kernel_threads() || o.isolation != Options::Isolation::none || o.jobs > 1)
      return failed("scripts are for backend=fibers, isolation=none and jobs=1", given.quiet);
    session.script = script;
    if (o.preempt == Options().preempt) session.settings.preempt = Preempt::all;
    session.settings.bounds.retries = Bounds::kAnyNumber;  // the script says when it is enough
  }
  if (report::wants_results(o)) session.recorded = std::make_shared<Recorded>();
  if (!o.replay.empty()) adopt_schedule(session);
  session.body = {[](void* f) { (*static_cast<const std::function<void()>*>(f))(); },
                  const_cast<void*>(static_cast<const void*>(&body))};
  start_progress(session);
  Result result;
  if (!g_instrumented)
    result.uncontrolled.emplace_back(
        "memory accesses and atomics: nothing was compiled with jostle_instrument(), so races are "
        "not seen, and threads are interrupted at locks and waits only");
  note_blind_spots(session, result);
  const FrameworkSession framework;
  search(session, result);
  if (result.interrupted) {  // told; now as it would have been without us
    std::fflush(nullptr);
    std::raise(result.interrupted);
  }
  return result;
}

}  // namespace

Result run(const std::function<void()>& body, const Options& options) {
  return explore_body(body, options, nullptr);
}

Result script(const std::function<void()>& body, const std::function<void()>& script,
              scripting::Oracle& oracle, const Options& options) {
  const ScriptCall call{script, oracle};
  return explore_body(body, options, &call);
}

Result script(const std::function<void()>& body, const std::function<void()>& what,
              const Options& options) {
  return script(body, what, *scripting::depth_first(), options);
}

Result script_system(const std::function<void()>& script, scripting::Oracle& oracle,
                     const Options& given) {
  Session session;
  if (auto ok = read_options(session, given); !ok) return failed(ok.error(), given.quiet);
  const Options& o = session.options;
  session.name = o.name.empty() ? framework_test_name() : o.name;
  if (const int n = ++calls()[session.name]; n > 1) session.name += "#" + std::to_string(n);
  const ScriptCall call{script, oracle};
  session.script = &call;
  if (report::wants_results(o)) session.recorded = std::make_shared<Recorded>();
  start_progress(session);
  Result result;
  run_system_script(session, result);
  finish_report(session, result);
  if (o.verbose || (result.ok() ? !result.accepted.empty() : !o.quiet))
    std::fputs(result.report.c_str(), stderr);
  return result;
}

Result script_system(const std::function<void()>& script, const Options& options) {
  return script_system(script, *scripting::depth_first(), options);
}

Result check(const std::function<void()>& body, const Options& given) {
  Options o = given;
  o.strategy = "check";
  if (o.executions == Options().executions) o.executions = ~0ull;
  return run(body, o);
}

Result cover(const std::function<void()>& body, const Options& given) {
  Options o = given;
  o.strategy = "cover";
  return run(body, o);
}

namespace explore {

Result run_program(const Options& options, const Surroundings& surroundings, bool shares) {
  Session session;
  session.options = options;
  name_search(session);
  session.name = options.name;
  session.settings = settings_of(options);
  session.settings.whole_program = true;
  session.settings.sees_writes = g_instrumented;
  session.settings.output_matters = !options.expect_stdout.empty();
  session.surroundings = surroundings;
  session.spawns = options.isolation == Options::Isolation::spawn ||
                   (options.isolation == Options::Isolation::snapshot && shares);
  if (report::wants_results(options)) session.recorded = std::make_shared<Recorded>();
  if (!options.replay.empty()) adopt_schedule(session);
  prepare_to_spawn();
  if (options.children == Options::Children::controlled)
    g_foreign_files = static_cast<ForeignFiles*>(map_pages(sizeof(ForeignFiles), true));
  start_progress(session);
  session.on_orphaned = nullptr;
  Result result;
  if (!g_instrumented)
    result.uncontrolled.emplace_back(
        "memory accesses: the program was not built with 'jostle cc', so races are not seen, and "
        "threads are interrupted at synchronisation only");
  if (threads_here() > 1)
    result.uncontrolled.emplace_back(
        "threads that a shared library started before the program began: executions are without "
        "them");
  if (look_for_instructions())
    result.uncontrolled.emplace_back(
        "random numbers of the processor: the program has rdrand or rdseed instructions");
  if (has_openmp())
    result.uncontrolled.emplace_back(
        std::string(
            "what the library of OpenMP synchronises by itself: threads are not interrupted "
            "there") +
        (g_instrumented ? ", and races that it keeps from happening are reported (--races=false)"
                        : ""));
  note_blind_spots(session, result);
  search(session, result);
  return result;
}

}  // namespace explore
}  // namespace jostle
