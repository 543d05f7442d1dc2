#include "program/direct.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "explore/filters.h"
#include "explore/requests.h"
#include "explore/run_program.h"
#include "options/exit_codes.h"
#include "options/options.h"
#include "program/beginning.h"
#include "program/breakpoint.h"
#include "program/streams.h"
#include "runtime/exec.h"
#include "runtime/family.h"
#include "runtime/other_program.h"
#include "runtime/start_point.h"
#include "runtime/tsan/access.h"
#include "trace/file_io.h"

namespace jostle::program {
namespace {

constexpr const char* kRequest = "JOSTLE_INTERNAL_RUN";
constexpr const char* kEarly = "JOSTLE_INTERNAL_EARLY";
constexpr const char* kSeen = "seen";  // its memory accesses: only its constructors tell
constexpr const char* kStarted = "JOSTLE_INTERNAL_STARTED";  // file to say that we are here
constexpr const char* kSpawned = "JOSTLE_INTERNAL_SPAWNED";
constexpr const char* kPreload = "JOSTLE_INTERNAL_PRELOAD";  // LD_PRELOAD as the user had it

Options& options() {
  static Options& o = *new Options;
  return o;
}
std::string& error() {
  static std::string& e = *new std::string;
  return e;
}

void limit_memory(std::uint32_t megabytes) {
  if (megabytes == 0) return;
  // On top of what there is: shadow memory is reserved generously and hardly used.
  const auto text = read_file("/proc/self/statm", 256);
  const rlim_t now = text ? std::strtoull(text->c_str(), nullptr, 10) * 4096 : 0;
  rlimit r;
  if (getrlimit(RLIMIT_AS, &r) != 0) return;
  const rlim_t limit = now + (static_cast<rlim_t>(megabytes) << 20);
  if (limit < r.rlim_cur) r.rlim_cur = limit;
  setrlimit(RLIMIT_AS, &r);
}

void enter(const Options& o, bool shown) {
  enter_streams(shown);
  limit_memory(o.memory);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// The process as it was started. No memory of the program's may be taken for it.
constexpr std::size_t kVariables = 4096;
const char* g_environment[kVariables];
char** g_arguments = nullptr;
int g_folder = -1;

void start_anew(const char* request) {
  close_since_the_beginning();
  hand_on_streams();
  (void)!fchdir(g_folder);
  const std::string spawned = kSpawned + ("=" + std::string(request) + " " + shown_streams());
  std::string as_long;  // as it was
  std::vector<char*> variables;
  for (const char* const* e = g_environment; *e; ++e) {
    variables.push_back(const_cast<char*>(*e));
    if (std::strncmp(*e, kSpawned, std::strlen(kSpawned)) != 0) continue;
    as_long = std::string(*e).replace(0, spawned.size(), spawned);
    variables.back() = as_long.data();
  }
  variables.push_back(nullptr);
  execve("/proc/self/exe", g_arguments, variables.data());
}

void shell(const std::string& command) {
  if (command.empty()) return;
  if (const int status = std::system(command.c_str()); status != 0)
    std::fprintf(stderr, "jostle: '%s' ended with %d\n", command.c_str(), status);
}

void before(const Options& o) {
  shell(o.prepare);
  rewind_streams();
}

void after(const Options& o, Outcome& outcome) {
  if (outcome.failure.kind != FindingKind::none) keep_unwritten_output();
  check_output(o, outcome);
  shell(o.cleanup);
}

// The program may go to another directory before the search begins.
void make_absolute(Options& o) {
  for (std::string* path : {&o.expect_stdout, &o.suppressions, &o.baseline, &o.replay, &o.output,
                            &o.json, &o.junit, &o.sarif, &o.perfetto, &o.memo, &o.plot})
    if (!path->empty() && *path != "none") *path = std::filesystem::absolute(*path).string();
}

}  // namespace

bool in_family() {
  static const bool yes = std::getenv(other_program::kFamily) != nullptr;
  return yes;
}
bool requested() { return in_family() || std::getenv(kRequest) != nullptr; }

bool starts_early() {
  const char* early = std::getenv(kEarly);
  if (!requested() || !early) return false;
  if (std::strcmp(early, kSeen) == 0) g_instrumented = true;
  return true;
}

void start_earlier_if_needed(char** argv) {
  if (threads_here() <= 1 || std::getenv("JOSTLE_START_AT")) return;
  setenv(kEarly, g_instrumented ? kSeen : "", 1);
  execv("/proc/self/exe", argv);
}

namespace {

// The program finds what it would without us. By hand: some programs, shells above all, have an
// unsetenv() of their own.
void clean_environment() {
  const char* preload = std::getenv(kPreload);
  static const std::string& theirs =
      *new std::string("LD_PRELOAD=" + std::string(preload ? preload : ""));
  const bool had_preload = preload && *preload;
  const bool binds = std::getenv("JOSTLE_INTERNAL_BIND") != nullptr;
  const auto is = [](const char* entry, const char* head) {
    return std::strncmp(entry, head, std::strlen(head)) == 0;
  };
  char** to = environ;
  for (char** from = environ; *from; ++from) {
    if (is(*from, "JOSTLE_") || (binds && is(*from, "LD_BIND_NOW="))) continue;
    if (!is(*from, "LD_PRELOAD="))
      *to++ = *from;
    else if (had_preload)
      *to++ = const_cast<char*>(theirs.c_str());
  }
  *to = nullptr;
}

}  // namespace

void take_request(char** argv) {
  if (in_family()) {
    if (!family::take_request(std::getenv(other_program::kFamily))) {
      std::fprintf(stderr,
                   "jostle: error: '%s' was built with another version of Jostle than the program "
                   "that started it: build both with the same, or use --children free\n",
                   argv[0]);
      _exit(static_cast<int>(ExitCode::internal));
    }
    family::await_first_turn();
  }
  explore::requests();
  if (const char* started = std::getenv(kStarted))
    if (const int fd = open(started, O_WRONLY | O_APPEND | O_CLOEXEC); fd >= 0) {
      (void)!write(fd, "", 1);
      close(fd);
    }
  other_program::remember(environ);
  adopt_streams(explore::requests().spawned);
  for (std::size_t i = 0; environ[i] && i + 1 < kVariables; ++i) g_environment[i] = environ[i];
  g_arguments = argv;
  g_folder = open_folder();
  if (auto ok = apply_environment(options(), const_cast<const char* const*>(environ)); !ok)
    error() = ok.error();
  if (!options().start_at.empty()) make_absolute(options());
  clean_environment();
}

void take_part() { explore::take_part(options()); }

bool starts_later(void (*begin)()) {
  const std::string& at = options().start_at;
  if (at.empty() || !error().empty()) return false;
  if (at == "jostle_ready") return true;
  if (auto ok = call_at(at, begin); !ok) {
    error() = ok.error();
    return false;
  }
  return true;
}

void never_started() {
  std::fprintf(
      stderr, "jostle: error: the program ended before it reached %s: nothing was executed\n",
      options().start_at == "jostle_ready" ? "jostle_ready()" : options().start_at.c_str());
  _exit(static_cast<int>(ExitCode::nothing));
}

int direct() {
  const std::uint32_t others = threads_here() - 1;
  if (others > 0 && !options().start_at.empty() && error().empty())
    error() = "when it reaches " + options().start_at + " the program has started " +
              std::to_string(others) +
              " thread(s) already, which executions would be without: start before them";
  if (options().strategy == "cover" && options().isolation == Options::Isolation::spawn)
    error() = "isolation=spawn is for run, check and replay: cover takes snapshot or fork";
  if (options().children == Options::Children::controlled) {
    if (options().backend == Options::Backend::threads)
      error() = "children=controlled needs backend=fibers: other threads do not survive a fork";
    else if (options().strategy == "cover" || options().strategy == "check")
      error() = "children=controlled is for run and replay; check and cover take free";
  }
  if (!error().empty()) {
    std::fprintf(stderr, "jostle: error: %s\n", error().c_str());
    return static_cast<int>(ExitCode::usage);
  }
  if (const auto ok = explore::Filters::load(options()); !ok) {
    std::fprintf(stderr, "jostle: error: %s\n", ok.error().c_str());
    return static_cast<int>(ExitCode::usage);
  }
  if (const auto ok = prepare_streams(options()); !ok) {
    std::fprintf(stderr, "jostle: error: %s\n", ok.error().c_str());
    return static_cast<int>(ExitCode::usage);
  }
  if (options().name.empty()) options().name = program_invocation_short_name;
  exec::note_in(explore::requests().exec);
  const Result r = explore::run_program(options(),
                                        {.enter = &enter,
                                         .before = &before,
                                         .after = &after,
                                         .start_anew = &start_anew,
                                         .output = &shown_output},
                                        shared_from_the_beginning());
  if (!r.error.empty()) return static_cast<int>(ExitCode::internal);
  if (!r.findings.empty()) return static_cast<int>(ExitCode::finding);
  if (r.interrupted) return 128 + r.interrupted;
  if (r.skipped) return static_cast<int>(ExitCode::nothing);
  if (r.executions_total + r.executions == 0) return static_cast<int>(ExitCode::nothing);
  return static_cast<int>(r.incomplete.empty() ? ExitCode::ok : ExitCode::incomplete);
}

}  // namespace jostle::program
