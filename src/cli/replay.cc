// jostle replay FILE [--gdb] [-- more arguments], jostle explain FILE [--script HEADER]
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/target.h"
#include "cli/whole_program.h"
#include "options/options.h"
#include "trace/schedule_file.h"

namespace jostle::cli {
namespace {

struct Arguments {
  std::string file;
  std::vector<std::string> extra;
  bool gdb = false;
  std::string script;
};

// The schedule's program in the debugger, stopped where it fails.
ExitCode debug(const Schedule& s, const Arguments& a) {
  if (!s.whole_program)
    return fail(ExitCode::usage,
                "--gdb is for schedules of whole programs; start a test's program in the debugger "
                "with JOSTLE_REPLAY set");
  std::vector<std::string> variables = {
      "JOSTLE_REPLAY=" + std::filesystem::absolute(a.file).string(), "JOSTLE_INTERNAL_HERE=1"};
  for (const auto& [name, value] : s.options) variables.push_back(variable_of(name) + "=" + value);
  const std::string directory = directory_for(s);
  if (const auto ok = make_controlled(s.program, directory, variables); !ok)
    return fail(ExitCode::internal, ok.error());
  std::error_code none;
  std::filesystem::current_path(directory, none);
  std::string wrapper = "set exec-wrapper env";
  for (const std::string& v : variables) wrapper += " '" + v + "'";
  std::vector<std::string> words = {"gdb", "-q",
                                    "-ex", "set confirm off",
                                    "-ex", "handle SIGSYS SIG62 nostop noprint pass",
                                    "-ex", wrapper,
                                    "-ex", "set breakpoint pending on",
                                    "-ex", "break jostle_failed"};
  // It may fail in a process that it forks; all of them have to go on together. Those that Jostle
  // forks before are none of the user's business.
  const bool family = std::any_of(s.options.begin(), s.options.end(),
                                  [](const auto& option) { return option.first == "children"; });
  if (family) words.insert(words.end(), {"-ex", "tbreak main"});
  words.insert(words.end(), {"-ex", "run" + (s.input.empty() ? "" : " < " + s.input)});
  if (family)
    words.insert(words.end(), {"-ex", "set detach-on-fork off", "-ex", "set schedule-multiple on",
                               "-ex", "continue"});
  words.insert(words.end(), {"--args", s.program});
  words.insert(words.end(), s.arguments.begin(), s.arguments.end());
  words.insert(words.end(), a.extra.begin(), a.extra.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  execvp("gdb", argv.data());
  return fail(ExitCode::internal, "gdb cannot be started: install the package gdb");
}

ExitCode replay(const Arguments& a) {
  const auto schedule = load_schedule(a.file);
  if (!schedule) return fail(ExitCode::usage, schedule.error());
  if (a.gdb) return debug(*schedule, a);
  const auto replayed = run_recorded(*schedule, {a.file, a.extra, {}, false});
  return replayed ? conclude(*schedule, *replayed) : fail(ExitCode::internal, replayed.error());
}

}  // namespace

void add_replay(CLI::App& app, ExitCode& code) {
  const auto a = std::make_shared<Arguments>();
  app.add_option("FILE", a->file, "schedule that a run has saved")->required();
  app.add_option("ARGUMENT", a->extra, "after --: more arguments for the program");
  app.add_flag("--gdb", a->gdb, "in the debugger, stopped where it fails (whole programs)");
  app.footer(
      "Starts the program that the schedule was made with. Exit codes: 1 it failed again, 0 the "
      "schedule was followed and nothing failed, 6 it could not be followed, 2 the file is "
      "unusable, 3 the program is missing or broke, 4 the program has no such test.");
  app.callback([a, &code] { code = replay(*a); });
}

void add_explain(CLI::App& app, ExitCode& code) {
  const auto a = std::make_shared<Arguments>();
  app.add_option("FILE", a->file, "schedule that a run has saved")->required();
  app.add_option("ARGUMENT", a->extra, "after --: more arguments for the program");
  app.add_option("--script", a->script,
                 "file for the schedule as a script (docs/script.md): a C++ header");
  app.footer(
      "Replays the schedule, says why it fails, and shows where the nearest schedule that passes "
      "takes another way. Exit codes as for replay.");
  app.callback([a, &code] {
    const auto schedule = load_schedule(a->file);
    if (!schedule) {
      code = fail(ExitCode::usage, schedule.error());
      return;
    }
    std::vector<std::string> requests = {"JOSTLE_INTERNAL_EXPLAIN=1"};
    if (!a->script.empty())
      requests.push_back("JOSTLE_INTERNAL_SCRIPT=" + std::filesystem::absolute(a->script).string());
    const auto replayed = run_recorded(*schedule, {a->file, a->extra, requests, false});
    code = replayed ? conclude(*schedule, *replayed) : fail(ExitCode::internal, replayed.error());
  });
}

}  // namespace jostle::cli
