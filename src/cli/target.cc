#include "cli/target.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "trace/file_io.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

// Our environment, with the variables of the same name replaced.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    const std::string head = entry.substr(0, entry.find('=') + 1);
    bool replaced = false;
    for (const std::string& v : variables) replaced |= v.starts_with(head);
    if (!replaced) all.push_back(entry);
  }
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> p;
  p.reserve(words.size() + 1);
  for (const std::string& w : words) p.push_back(const_cast<char*>(w.c_str()));
  p.push_back(nullptr);
  return p;
}

int g_interrupted_by = 0;

// While a program runs for us, it gets to deal with interruptions: what a terminal sends it has
// got anyway, what was sent to us alone is handed on. Then there is time to clean up.
class Interruptions {
 public:
  Interruptions() {
    g_child = 0;
    struct sigaction sa = {};
    sa.sa_handler = [](int number) {
      if (g_child > 0) kill(g_child, number);
    };
    sa.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &sa, nullptr);
    }
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;
  ~Interruptions() { restore(); }
  void restore() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  static void hand_on_to(pid_t child) { g_child = child; }

  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

 private:
  static inline volatile pid_t g_child = 0;
  struct sigaction before_[kSignals.size()];
};

// The child's errno if it could not become the program comes through a pipe that exec closes.
Expected<int> run_program(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment, bool silent) {
  const std::vector<char*> argv = pointers(words), envp = pointers(environment);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return Error{std::string("no pipe: ") + std::strerror(errno)};
  std::fflush(nullptr);
  Interruptions interruptions;
  const pid_t child = fork();
  Interruptions::hand_on_to(child);
  if (child == 0) {
    interruptions.restore();
    if (const int null = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1; null >= 0) {
      dup2(null, 1);
      dup2(null, 2);
    }
    execve(argv[0], argv.data(), envp.data());
    const int error = errno;
    (void)!write(report[1], &error, sizeof error);
    _exit(127);
  }
  close(report[1]);
  int error = child < 0 ? errno : 0, status = 0;
  if (child > 0 && read(report[0], &error, sizeof error) != static_cast<ssize_t>(sizeof error))
    error = 0;
  close(report[0]);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    for (const int number : Interruptions::kSignals)
      if (WTERMSIG(status) == number) g_interrupted_by = number;
  if (error != 0) return Error{"cannot start '" + words[0] + "': " + std::strerror(error)};
  return status;
}

}  // namespace

int interrupted_by() { return g_interrupted_by; }

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

Expected<Replayed> run_recorded(const Schedule& s, const Start& start) {
  const Scratch scratch;
  const std::string result = scratch.path() + "/result";
  std::vector<std::string> words = {s.program};
  words.insert(words.end(), s.arguments.begin(), s.arguments.end());
  words.insert(words.end(), start.extra.begin(), start.extra.end());
  std::vector<std::string> settings = start.variables;
  settings.push_back("JOSTLE_REPLAY=" + fs::absolute(start.schedule).string());
  settings.push_back("JOSTLE_INTERNAL_RESULT=" + result);
  const auto status = run_program(words, environment_with(settings), start.silent);
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
  if (WEXITSTATUS(r.status) != 0)
    return fail(ExitCode::internal, "'" + s.program + "' ended with code " +
                                        std::to_string(WEXITSTATUS(r.status)) +
                                        " without following the schedule");
  return fail(ExitCode::nothing, "'" + s.program + "' has no run" +
                                     (s.test.empty() ? std::string() : " named '" + s.test + "'") +
                                     ": nothing was executed");
}

}  // namespace jostle::cli
