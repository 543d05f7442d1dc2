#include "explore/findings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "explore/finding_folder.h"
#include "explore/framework.h"
#include "explore/known.h"
#include "explore/minimize.h"
#include "explore/results.h"
#include "explore/rounds.h"
#include "explore/schedules.h"
#include "explore/show.h"
#include "explore/terminate.h"
#include "report/fingerprint.h"
#include "report/ordering.h"
#include "report/terminal.h"
#include "trace/schedule_file.h"

namespace jostle::explore {
namespace {

report::RenderOptions render_options(const Session& session) {
  const Options& o = session.options;
  const int fd = session.asked_for() ? STDOUT_FILENO : STDERR_FILENO;
  report::RenderOptions r;
  r.color = o.color == Options::Color::always ||
            (o.color == Options::Color::auto_ && isatty(fd) && std::getenv("NO_COLOR") == nullptr);
  if (const std::size_t width = terminal_width(fd); width >= 60)
    r.width = std::min<std::size_t>(width, 160);
  return r;
}

// As a shell reads it back.
std::string shell_word(const std::string& s) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!s.empty() && s.find_first_not_of(kPlain) == std::string::npos) return s;
  std::string out = "'";
  for (const char c : s) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The end of what an execution has printed.
std::string last_lines(const std::string& output) {
  constexpr std::size_t kLines = 12;
  if (output.empty()) return "";
  std::size_t at = output.size() - 1, lines = 0;
  while (at > 0 && (output[at - 1] != '\n' || ++lines < kLines)) --at;
  std::string text = "\nWhat it printed";
  text += at > 0 ? ", the last lines:\n" : ":\n";
  std::size_t from = at;
  while (from < output.size()) {
    const std::size_t end = std::min(output.find('\n', from), output.size());
    text += "  " + output.substr(from, std::min<std::size_t>(end - from, 200)) + "\n";
    from = end + 1;
  }
  return text;
}

// A test framework selects the test; another program gets the arguments that it has now.
std::vector<std::string> rerun_arguments(const Session& session) {
  if (session.whole_program()) return program_arguments();
  if (const std::string a = framework_argument(session.name); !a.empty()) return {a};
  return program_arguments();
}

// A name for files that says which finding of which test it is.
std::string file_name(const Session& session, const std::string& kind,
                      const std::string& fingerprint) {
  const std::string s = file_name_of(session.name);
  std::uint64_t h = 0;
  for (const char c : fingerprint) h = combine64(h, static_cast<unsigned char>(c));
  char tail[16];
  std::snprintf(tail, sizeof tail, "%06llx", static_cast<unsigned long long>(h & 0xffffff));
  return s + "-" + kind + "-" + tail;
}

}  // namespace

std::string replay_command(const Session& session, const std::string& path) {
  if (session.whole_program()) return "jostle replay " + shell_word(path);
  std::string program = program_path();
  if (char here[4096]; getcwd(here, sizeof here) && program.starts_with(std::string(here) + "/"))
    program.erase(0, std::string(here).size() + 1);
  if (program.find('/') == std::string::npos) program.insert(0, "./");
  std::string s = "JOSTLE_REPLAY=" + shell_word(path) + " \\\n  " + shell_word(program);
  for (const std::string& a : rerun_arguments(session)) s += " " + shell_word(a);
  return s;
}

std::string verdict_on_rest(const Result& result, bool raced, const std::string& provided) {
  const bool failed = !result.findings.empty() || !result.accepted.empty();
  std::string text = failed  ? "no other failure"
                     : raced ? "none failed but for races that are left out"
                             : "none failed";
  if (!provided.empty())
    text += ", provided that no code of " + provided + " shares memory between threads";
  return text;
}

std::string one_line(const Finding& f) {
  std::string text = f.kind;
  if (!f.function.empty()) text += " in " + f.function;
  if (!f.file.empty())
    text += " at " + std::string(report::base_name(f.file)) + ":" + std::to_string(f.line);
  const std::string message = f.message.substr(0, f.message.find('\n'));
  return text + (message.empty() ? "" : ": " + message) + "\n";
}

Expected<bool> Findings::load_filters() {
  auto loaded = Filters::load(session_.options);
  if (!loaded) return Error{loaded.error()};
  filters_ = std::move(*loaded);
  return true;
}

Finding Findings::outline(report::View& view, const Problem& p) {
  Finding f;
  f.kind = name_of(p.kind);
  f.message = p.message;
  const report::Frame at = report::where(view.trace, symbols_, p);
  f.function = report::short_function(at.function);
  f.file = at.file;
  f.line = at.line;
  f.fingerprint = report::fingerprint(view, p, session_.name);
  return f;
}

bool Findings::filtered(Result& result, report::View& view, const Problem& p,
                        std::uint64_t execution) {
  const report::FindingInfo info = report::describe(view, p, session_.name);
  const Filters::Verdict verdict = filters_.judge(info);
  if (verdict == Filters::Verdict::fresh) return false;
  if (verdict == Filters::Verdict::known) {
    filters_.told(info.fingerprint);
    Finding f = outline(view, p);
    f.known = true;
    f.execution = execution;
    f.report = one_line(f);
    result.accepted.push_back(std::move(f));
  }
  return true;
}

// What one finding may take. Where there is a budget, all that is told after it may take together
// as long, or half of the budget if that is less; one finding is always confirmed.
double Findings::time_to_tell() const {
  constexpr double kEach = 5;
  const double now = monotonic_seconds(), each = now + kEach;
  const double deadline = session_.progress ? session_.progress->interruption.deadline : 0;
  if (deadline <= 0) return each;
  return std::min(each, deadline + std::min(kEach, session_.options.budget / 2));
}

bool Findings::too_late() {
  return std::exchange(looked_at_one_, true) && time_to_tell() <= monotonic_seconds();
}

Fresh Findings::confirm(const Plan& plan, const Problem& seen, double until,
                        std::uint32_t& reproduced, std::uint32_t& tried) {
  Assignment& a = executor_.assignment();
  a.plan = plan;
  a.record = true;
  Fresh kept;
  reproduced = tried = 0;
  // Once is enough when it works: executions are deterministic. If not, how often it works is
  // worth knowing, if it does not take too long.
  double longest = 0;
  for (int i = 0; i < 5 && (i == 0 || monotonic_seconds() + longest < until); ++i) {
    Fresh f = executor_.run();
    longest = std::max(longest, f.seconds);
    ++tried;
    const bool same = seen.kind == FindingKind::race
                          ? std::any_of(f.trace.races.begin(), f.trace.races.end(),
                                        [&](const Problem& r) { return same_race(r, seen); })
                          : same_failure(seen, f.trace.outcome.failure) ||
                                (seen.place.pc == 0 && seen.kind == f.trace.outcome.failure.kind);
    if (same) {
      ++reproduced;
      kept = std::move(f);
      if (i == 0) return kept;
    } else if (i == 0) {
      kept = std::move(f);
    }
  }
  return kept;
}

Finding Findings::describe(const Trace& trace, const Problem& p, const std::string& path,
                           const std::vector<std::string>& notes) {
  report::View view(trace, symbols_);
  Finding f = outline(view, p);
  f.schedule = path;
  report::View shown(trace, symbols_);
  f.report = report::render(shown, render_options(session_));
  if (session_.recorded) session_.recorded->steps[f.fingerprint] = report::steps_of(shown);
  for (const std::string& n : notes) f.report += n + "\n";
  if (session_.surroundings.output) f.report += last_lines(session_.surroundings.output());
  if (!path.empty()) f.report += "\nTo replay it:\n  " + replay_command(session_, path) + "\n";
  return f;
}

std::string Findings::save(const Trace& trace, Finding& f) {
  report::View view(trace, symbols_);
  const Assignment& a = executor_.assignment();
  Schedule s =
      make_schedule(session_, view, a.plan.patience, {a.promoted, a.promoted + a.promoted_count});
  s.arguments = rerun_arguments(session_);
  s.finding = f.kind;
  s.message = f.message.substr(0, f.message.find('\n'));
  s.place =
      f.file.empty() ? "" : std::string(report::base_name(f.file)) + ":" + std::to_string(f.line);
  const std::string name = file_name(session_, f.kind, f.fingerprint);
  const std::string folder = session_.options.output + "/" + name;
  std::string path = (session_.whole_program() ? folder + "/" : session_.options.output + "/") +
                     name + ".schedule";
  auto saved = save_schedule(path, s);
  if (saved && session_.whole_program())
    saved =
        fill_folder(folder, view, f.report,
                    session_.surroundings.output ? session_.surroundings.output() : std::string());
  if (saved) return path;
  f.report += "jostle: the schedule could not be saved: " + saved.error() +
              "\n  JOSTLE_OUTPUT=DIRECTORY saves it elsewhere.\n";
  return "";
}

bool Findings::add_failure(Result& result, const Plan& plan, const Problem& failure,
                           std::uint64_t execution) {
  Problem seen = failure;
  explain_terminate(seen, symbols_);
  for (const Problem& p : dealt_with_)
    if (same_failure(p, seen) && p.place.pc == seen.place.pc) return false;
  dealt_with_.push_back(seen);
  const Telling telling(session_);
  std::uint32_t reproduced = 0, tried = 0;
  const bool controlled = session_.kind != SearchKind::delay;
  Fresh fresh;
  const bool late = too_late();
  const double until = time_to_tell();
  if (controlled && !late) fresh = confirm(plan, seen, until, reproduced, tried);
  std::vector<std::string> notes;
  if (reproduced == 0) {
    Trace only;
    only.outcome.failure = seen;
    report::View view(only, symbols_);
    if (filtered(result, view, seen, execution)) return false;
    Finding f = outline(view, seen);
    f.execution = execution;
    filters_.told(f.fingerprint);
    f.report = "jostle: " + f.kind + ": " + f.message + "\n";
    if (!f.file.empty())
      f.report += "  at " + report::place_text({"", f.file, f.line}) +
                  (f.function.empty() ? "" : " in " + f.function) + "\n";
    if (!controlled) {
      f.report +=
          "seen once, in real time: nobody controlled the schedule, so it cannot be replayed.\n";
      result.findings.push_back(std::move(f));
      return true;
    }
    if (late) {
      f.report += "seen once, and not confirmed: the budget was used up.\n";
      result.findings.push_back(std::move(f));
      return true;
    }
    f.report += "seen once, reproduced 0 of " + std::to_string(tried) + " in a fresh process.\n";
    const auto globals = changed_globals(executor_.pid(), symbols_);
    if (!globals.empty()) {
      f.report +=
          "It may need state that earlier executions left behind; these variables have changed "
          "since the\nfirst one:";
      for (const std::string& g : globals) f.report += " " + g;
      f.report += "\nReset them at the start of the body, or use isolation=fork.\n";
    } else {
      f.report += "It may depend on input from outside, or on addresses.\n";
    }
    result.findings.push_back(std::move(f));
    return true;
  }
  if (reproduced < tried)
    notes.push_back("seen once, reproduced " + std::to_string(reproduced) + " of " +
                    std::to_string(tried) +
                    ": the program depends on something that Jostle does not control");
  if (fresh.trace.outcome.leaves_files && session_.options.prepare.empty() &&
      session_.options.cleanup.empty())
    notes.emplace_back(
        "\nThe program writes files, and every execution finds what the last one has left. If "
        "that\n"
        "is why it fails: --prepare and --cleanup are commands that put them back.");
  Trace trace = std::move(fresh.trace);
  if (is_overflow(seen))  // which the fresh process may not have been able to say
    std::memcpy(trace.outcome.failure.message, seen.message, sizeof seen.message);
  {
    report::View view(trace, symbols_);
    if (filtered(result, view, trace.outcome.failure, execution)) return false;
  }
  // A process that was killed outright leaves no whole trace, but dies every time.
  bool exact = fresh.ended || fresh.signal != 0;
  if (session_.options.minimize && fresh.ended && !trace.truncated &&
      seen.kind != FindingKind::timeout && monotonic_seconds() + fresh.seconds < until) {
    Minimized m = minimize(session_, executor_, trace, 400, until);
    // What goes on disk is replayed once more, as the file says it.
    Assignment& a = executor_.assignment();
    a.plan = {};
    a.plan.strategy = kReplayStrategy;
    a.plan.patience = plan.patience;
    a.segment_count = 0;
    a.deviation_count = static_cast<std::uint32_t>(m.deviations.size());
    std::copy(m.deviations.begin(), m.deviations.end(), a.deviations);
    Fresh again = executor_.run();
    exact = again.ended && !again.trace.outcome.diverged &&
            same_failure(trace.outcome.failure, again.trace.outcome.failure);
    if (exact) trace = std::move(again.trace);
  }
  if (exact && fresh.ended && !trace.truncated && monotonic_seconds() + fresh.seconds < until)
    trace.early_limit = decisive_limit(executor_, trace);
  explain_terminate(trace.outcome.failure, symbols_);
  Finding f = describe(trace, trace.outcome.failure, "", notes);
  f.schedule = save(trace, f);
  if (!f.schedule.empty())
    f.report += "\nTo replay it:\n  " + replay_command(session_, f.schedule) + "\n";
  f.confirmed = exact && reproduced == tried;
  f.execution = execution;
  filters_.told(f.fingerprint);
  result.findings.push_back(std::move(f));
  return true;
}

bool Findings::add_race(Result& result, const Plan& plan, const Problem& race,
                        std::uint64_t execution) {
  if (too_late()) {
    // Whether it is one of those that are told already would be seen by looking closer.
    constexpr const char* kMore =
        "more accesses race than are told: the budget was used up before all were looked at";
    if (result.notes.empty() || result.notes.back() != kMore) result.notes.emplace_back(kMore);
    return false;
  }
  const Telling telling(session_);
  Assignment& a = executor_.assignment();
  std::uint32_t reproduced = 0, tried = 0;
  a.watched_count = 0;
  a.watched[a.watched_count++] = race.place.pc;
  // The earlier access is known by the low half of its address only.
  a.watched[a.watched_count++] =
      (race.place.pc & ~0xffffffffull) | static_cast<std::uint32_t>(race.other.pc);
  Fresh fresh = confirm(plan, race, time_to_tell(), reproduced, tried);
  Trace trace = std::move(fresh.trace);
  Problem shown = race;
  for (const Problem& r : trace.races)
    if (same_race(r, race)) {
      shown = r;
      break;
    }
  // The race is what is shown; what happened after it is of no interest.
  if (shown.place.event && shown.place.event < trace.events.size()) {
    trace.events.resize(shown.place.event);
    while (!trace.decisions.empty() && trace.decisions.back().event >= shown.place.event)
      trace.decisions.pop_back();
  }
  trace.outcome.failure = {};
  trace.races = {shown};
  report::View view(trace, symbols_);
  if (filtered(result, view, shown, execution)) return false;
  std::vector<std::string> notes;
  if (reproduced < tried)
    notes.push_back("seen once, reproduced " + std::to_string(reproduced) + " of " +
                    std::to_string(tried));
  Finding f = describe(trace, shown, "", notes);
  filters_.told(f.fingerprint);
  f.execution = execution;
  f.confirmed = reproduced == tried && reproduced > 0;
  f.schedule = save(trace, f);
  if (!f.schedule.empty())
    f.report += "\nTo replay it:\n  " + replay_command(session_, f.schedule) + "\n";
  result.findings.push_back(std::move(f));
  return true;
}

}  // namespace jostle::explore
