// jostle run [options] -- program arguments, jostle check and jostle cover
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "check/search.h"
#include "cli/commands.h"
#include "cli/process.h"
#include "cli/target.h"
#include "cli/whole_program.h"
#include "memo/database.h"
#include "options/config.h"
#include "options/options.h"
#include "strategies/search_kind.h"
#include "trace/file_io.h"
#include "trace/schedule_file.h"

namespace jostle::cli {
namespace {

enum class How { run, check, cover };

struct Arguments {
  How how = How::run;
  std::map<std::string, std::string> options;  // as given, by name
  std::string stop_on;
  std::vector<std::string> words;
};

// What a program gets where a test gets something else.
constexpr std::pair<const char*, const char*> kDefaults[] = {
    {"isolation", "snapshot"}, {"budget", "60s"},     {"executions", "1000000000"},
    {"max-steps", "20000000"}, {"output", ".jostle"},
};

// A check ends when there is nothing left to execute.
constexpr std::pair<const char*, const char*> kCheckDefaults[] = {
    {"strategy", "check"}, {"budget", "0"}, {"executions", "18446744073709551615"}};

// So does a cover, unless the time is over before.
constexpr std::pair<const char*, const char*> kCoverDefaults[] = {{"strategy", "cover"}};

constexpr const char* name_of(How h) {
  return h == How::check ? "check" : h == How::cover ? "cover" : "run";
}

// Schedules that once broke this program, kept in the repository: they come first.
ExitCode replay_regressions(const std::string& program, bool quiet) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& e : fs::recursive_directory_iterator("jostle-regressions", none))
    if (e.path().extension() == ".schedule") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  ExitCode code = ExitCode::ok;
  std::size_t replayed = 0;
  for (const fs::path& f : files) {
    auto s = load_schedule(f.string());
    if (!s) return fail(ExitCode::usage, s.error());
    if (!s->whole_program || fs::path(s->program).filename() != fs::path(program).filename())
      continue;
    s->program = program;  // recorded on somebody else's machine, perhaps
    s->directory.clear();
    const auto r = run_recorded(*s, {f.string(), {}, {}, false});
    if (!r) return fail(ExitCode::internal, r.error());
    ++replayed;
    if (r->verdict == "reproduced" || r->verdict == "other") {
      std::fprintf(stderr, "jostle: '%s' fails again\n", f.c_str());
      code = ExitCode::finding;
    }
  }
  if (replayed > 0 && !quiet)
    std::fprintf(stderr, "jostle: %zu schedule%s of jostle-regressions replayed\n", replayed,
                 replayed == 1 ? "" : "s");
  return code;
}

// What is started, where, and with what on top of our environment.
struct Target {
  std::vector<std::string> words;
  std::string directory;
  std::vector<std::string> environment;
};

// What a wrapper becomes, as it has written it: see runtime/exec.h.
std::optional<Target> read_target(const std::string& file) {
  const auto text = read_file(file, std::size_t{1} << 24);
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  Target t;
  std::string path, first, word;
  std::getline(in, t.directory, '\0');
  std::getline(in, path, '\0');
  std::getline(in, first, '\0');  // how it calls itself
  t.words.push_back((std::filesystem::path(t.directory) / path).lexically_normal().string());
  while (!first.empty() && std::getline(in, word, '\0') && !word.empty()) t.words.push_back(word);
  while (std::getline(in, word, '\0'))
    if (!word.starts_with("JOSTLE_") && !word.starts_with("LD_")) t.environment.push_back(word);
  if (!find_program(t.words[0])) return std::nullopt;
  return t;
}

// Can whatever was read of standard input be read again?
bool input_comes_again(off_t from) {
  struct stat st;
  if (fstat(0, &st) != 0 || S_ISCHR(st.st_mode)) return true;
  return S_ISREG(st.st_mode) && lseek(0, from, SEEK_SET) == from;
}

// Of a file in our memory, for the program's process. As long as it may get: where the stack begins
// depends on it.
std::string path_of(int memory) {
  const std::string own = std::to_string(getpid()) + "/fd/" + std::to_string(memory);
  return "/proc/" + std::string(24 - std::min<std::size_t>(own.size(), 24), '/') + own;
}

// Starts the program and waits for the end of its search. A script or a wrapper that becomes
// another program is followed, up to a point.
ExitCode search(Target target, const std::vector<std::string>& options, bool quiet) {
  constexpr int kMost = 16;
  const int memory = memfd_create("jostle", MFD_CLOEXEC);
  const int started = memfd_create("jostle-started", MFD_CLOEXEC);
  const std::string note = path_of(memory);
  const off_t input = lseek(0, 0, SEEK_CUR);
  bool follows = memory >= 0 && input_comes_again(input);
  for (int turn = 0;; ++turn) {
    std::vector<std::string> variables = target.environment;
    variables.insert(variables.end(), options.begin(), options.end());
    if (follows && turn < kMost) variables.push_back("JOSTLE_INTERNAL_EXEC=" + note);
    if (started >= 0) variables.push_back("JOSTLE_INTERNAL_STARTED=" + path_of(started));
    if (const auto ok = make_controlled(target.words[0], target.directory, variables); !ok)
      return fail(ExitCode::internal, ok.error());
    const auto status = run_process(target.words, variables, false, "", target.directory);
    if (!status) return fail(ExitCode::usage, status.error());
    if (WIFSIGNALED(*status))
      return fail(ExitCode::internal, "the process of '" + target.words[0] +
                                          "' was killed by signal " +
                                          std::to_string(WTERMSIG(*status)));
    // The loader only says that it cannot load a library, and goes on.
    if (started >= 0 && lseek(started, 0, SEEK_END) <= 0)
      return fail(ExitCode::nothing,
                  "'" + target.words[0] +
                      "' ran without Jostle, or not at all: libjostle_program.so was not loaded "
                      "into it; see what the loader said, and install Jostle again if the file is "
                      "damaged");
    const auto code = static_cast<ExitCode>(WEXITSTATUS(*status));
    if (code != ExitCode::nothing || !follows || lseek(memory, 0, SEEK_END) <= 0) return code;
    const auto next = read_target(note);
    follows = next && next->directory == target.directory && input_comes_again(input) &&
              ftruncate(memory, 0) == 0;
    if (!follows) continue;
    if (!quiet)
      std::fprintf(stderr, "jostle: '%s' becomes '%s': that is executed\n", target.words[0].c_str(),
                   next->words[0].c_str());
    target = *next;
  }
}

ExitCode run(const Arguments& a) {
  if (a.words.empty())
    return fail(ExitCode::usage, std::string("the program is missing: jostle ") + name_of(a.how) +
                                     " [options] -- program arguments");
  std::map<std::string, std::string> given = a.options;
  if (!a.stop_on.empty()) {
    if (a.stop_on != "race")
      return fail(ExitCode::usage, "--stop-on is for 'race', not for '" + a.stop_on + "'");
    given["stop-on-race"] = "true";
  }
  // A number of executions that is asked for is what ends the run.
  if (given.contains("executions") && !given.contains("budget") && !std::getenv("JOSTLE_BUDGET"))
    given["budget"] = "0";
  Options o;
  for (const auto& [name, value] : given)
    if (const auto ok = apply(o, name, value); !ok) return fail(ExitCode::usage, ok.error());
  if (given.contains("executions") && o.executions == 0)
    return fail(ExitCode::nothing, "with 0 executions nothing is executed");
  if (given.contains("budget") && o.budget == 0 && !given.contains("executions") &&
      a.how != How::check)
    return fail(ExitCode::nothing, "with no time nothing is executed: --budget 60s, or -i N");
  if (a.how == How::check && given.contains("strategy"))
    return fail(ExitCode::usage,
                "a check has no strategy, but --priority; 'jostle run' has strategies");
  if (a.how == How::cover && given.contains("strategy"))
    return fail(ExitCode::usage, "cover has no strategy: it chooses what to execute by itself");
  const auto kind = search_kind(o.strategy);
  if (!kind) return fail(ExitCode::usage, kind.error());
  if (!is_for_programs(*kind))
    return fail(ExitCode::usage, "strategy '" + o.strategy + "' is for test bodies only");
  if (o.off) return fail(ExitCode::usage, "--off is for tests: start the program without 'jostle'");
  if (o.expect_exit > 255)
    return fail(ExitCode::usage, "--expect-exit: no program ends with more than 255");
  if (a.how == How::check || *kind == SearchKind::check)
    if (const auto search = checking::make_search(o); !search)
      return fail(ExitCode::usage, search.error());
  if (a.how == How::cover && !o.memo.empty() && o.memo != "none")
    if (const auto memo = memo::Database::open(o.memo, true); !memo)
      return fail(ExitCode::usage, memo.error());
  if (a.how == How::cover && !o.against.empty())
    if (const auto against = memo::Database::open(o.against, false); !against)
      return fail(ExitCode::usage, against.error());
  for (const std::string* file : {&o.expect_stdout, &o.replay})
    if (!file->empty())
      if (const auto text = read_file(*file, std::size_t{1} << 30); !text)
        return fail(ExitCode::usage, text.error());
  if (!o.replay.empty())
    if (const auto schedule = load_schedule(o.replay); !schedule)
      return fail(ExitCode::usage, schedule.error());

  const auto program = find_program(a.words[0]);
  if (!program) return fail(ExitCode::usage, program.error());
  if (o.replay.empty())
    if (const ExitCode code = replay_regressions(*program, o.quiet);
        code != ExitCode::ok && (code != ExitCode::finding || !o.keep_going))
      return code;
  std::vector<std::string> words = a.words;
  words[0] = *program;
  std::vector<std::string> variables;
  // Weaker than the command line and the environment: jostle.toml, then what programs start with.
  Options configured;
  const std::string config = find_config();
  if (!config.empty())
    if (const auto ok =
            apply_config(configured, config, std::filesystem::path(*program).filename());
        !ok)
      return fail(ExitCode::usage, ok.error());
  const Options standard;
  for (const OptionInfo& i : all_options()) {
    const std::string name(i.name), value = value_of(configured, name);
    if (value != value_of(standard, name)) given.try_emplace(name, value);
  }
  if (a.how == How::check)
    for (const auto& [name, value] : kCheckDefaults) given.try_emplace(name, value);
  if (a.how == How::cover)
    for (const auto& [name, value] : kCoverDefaults) given.try_emplace(name, value);
  for (const auto& [name, value] : kDefaults) given.try_emplace(name, value);
  // What the environment says stays there.
  Options listed;
  if (const char* list = std::getenv("JOSTLE_OPTIONS"))
    if (const auto ok = apply_list(listed, list); !ok) return fail(ExitCode::usage, ok.error());
  std::erase_if(given, [&](const auto& option) {
    const std::string& name = option.first;
    return !a.options.contains(name) && (std::getenv(variable_of(name).c_str()) ||
                                         value_of(listed, name) != value_of(standard, name));
  });
  for (const auto& [name, value] : given) variables.push_back(variable_of(name) + "=" + value);
  return search({words, here(), {}}, variables, o.quiet);
}

}  // namespace

namespace {

void add_program_verb(CLI::App& app, ExitCode& code, How how) {
  const auto a = std::make_shared<Arguments>();
  a->how = how;
  for (const OptionInfo& i : all_options()) {
    const std::string name(i.name);
    std::string flags = "--" + name;
    if (name == "executions") flags = "-i," + flags;
    if (name == "jobs") flags = "-j," + flags;
    const std::string text(i.text);
    if (i.flag)
      app.add_flag_function(
          flags, [a, name](std::int64_t count) { a->options[name] = count > 0 ? "true" : "false"; },
          text);
    else
      app.add_option_function<std::string>(
             flags, [a, name](const std::string& v) { a->options[name] = v; }, text)
          ->type_name(std::string(i.hint));
  }
  app.add_option("--stop-on", a->stop_on, "race: end the run at the first data race");
  app.add_option("PROGRAM", a->words, "the program and its arguments")->required(false);
  app.prefix_command(false);
  app.positionals_at_end(true);
  constexpr const char* kCommon =
      "Exit codes: 0 nothing found, 1 a finding, 2 called wrongly, 3 Jostle failed, 4 nothing was "
      "executed, 5 a check that did not come to its end. The program is built as always, or with "
      "'jostle cc' and 'jostle c++' in place of the compiler, so that Jostle sees memory accesses, "
      "too.";
  app.footer(
      std::string(how == How::check
                      ? "Without --budget or -i the check goes on until all schedules that "
                        "make a difference are executed, or one of them fails.\n"
                  : how == How::cover
                      ? "Without --budget or -i it goes on for 60 seconds, or until nothing is "
                        "left to be tried.\n"
                      : "Without --budget or -i the run takes 60 seconds, unless it finds "
                        "a failure before.\n") +
      kCommon);
  app.callback([a, &code] { code = run(*a); });
}

}  // namespace

void add_run(CLI::App& app, ExitCode& code) { add_program_verb(app, code, How::run); }
void add_check(CLI::App& app, ExitCode& code) { add_program_verb(app, code, How::check); }
void add_cover(CLI::App& app, ExitCode& code) { add_program_verb(app, code, How::cover); }

}  // namespace jostle::cli
