#include "cli/target.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "cli/process.h"
#include "cli/whole_program.h"
#include "options/options.h"
#include "trace/file_io.h"

namespace jostle::cli {
namespace fs = std::filesystem;

Scratch::Scratch() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base && *base ? base : "/tmp") + "/jostle-XXXXXX";
  if (!mkdtemp(path_.data()))
    throw std::runtime_error("cannot make '" + path_ + "': " + std::strerror(errno));
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string here() {
  std::error_code gone;
  return fs::current_path(gone).string();
}

std::string directory_for(const Schedule& s) {
  std::error_code none;
  if (s.directory.empty() || fs::equivalent(s.directory, ".", none)) return here();
  if (fs::is_directory(s.directory, none)) return s.directory;
  std::fprintf(
      stderr, "jostle: the run was made in '%s', which is not there: replaying in this directory\n",
      s.directory.c_str());
  return here();
}

Expected<Replayed> run_recorded(const Schedule& s, const Start& start) {
  const Scratch scratch;
  const std::string result = scratch.path() + "/result";
  std::vector<std::string> words = {s.program};
  words.insert(words.end(), s.arguments.begin(), s.arguments.end());
  words.insert(words.end(), start.extra.begin(), start.extra.end());
  std::vector<std::string> settings = start.variables;
  const std::string directory = directory_for(s);
  settings.push_back("JOSTLE_REPLAY=" + fs::absolute(start.schedule).string());
  settings.push_back("JOSTLE_INTERNAL_RESULT=" + result);
  // Results go where the caller wants them, not where the program is started.
  for (const char* name : {"output", "json", "junit", "sarif", "perfetto"})
    if (const char* path = std::getenv(variable_of(name).c_str()); path && *path)
      settings.push_back(variable_of(name) + "=" + fs::absolute(path).string());
  for (const auto& [name, value] : s.options) settings.push_back(variable_of(name) + "=" + value);
  if (s.whole_program) {
    if (const auto found = find_program(words[0]); !found) return Error{found.error()};
    if (const auto ok = make_controlled(words[0], directory, settings); !ok)
      return Error{ok.error()};
  }
  const auto status = run_process(words, settings, start.silent, s.input, directory);
  if (!status) return Error{status.error()};

  Replayed r;
  r.status = *status;
  if (const auto text = read_file(result, 1 << 16)) {
    std::istringstream lines(*text);
    std::getline(lines, r.verdict);
    std::getline(lines, r.grade);
    std::getline(lines, r.saved);
  }
  return r;
}

ExitCode conclude(const Schedule& s, const Replayed& r) {
  if (r.verdict == "reproduced" || r.verdict == "other") return ExitCode::finding;
  if (r.verdict == "diverged")
    return fail(ExitCode::diverged, "the schedule could not be followed: " + r.grade);
  if (r.verdict == "unusable") return fail(ExitCode::usage, r.grade);
  if (r.verdict == "passed") {
    std::printf("jostle: followed the schedule, and nothing failed (%s)\n", r.grade.c_str());
    return ExitCode::ok;
  }
  if (interrupted_by() != 0) return fail(ExitCode::incomplete, "interrupted");
  if (WIFSIGNALED(r.status))
    return fail(ExitCode::internal, "'" + s.program + "' was killed by signal " +
                                        std::to_string(WTERMSIG(r.status)) +
                                        " before it followed the schedule");
  // A test program that had no use for the schedule says so itself, with that code.
  if (const int code = WEXITSTATUS(r.status);
      code != 0 && code != static_cast<int>(ExitCode::nothing))
    return fail(ExitCode::internal, "'" + s.program + "' ended with code " +
                                        std::to_string(WEXITSTATUS(r.status)) +
                                        " without following the schedule");
  return fail(ExitCode::nothing, "'" + s.program + "' has no run" +
                                     (s.test.empty() ? std::string() : " named '" + s.test + "'") +
                                     ": nothing was executed");
}

}  // namespace jostle::cli
