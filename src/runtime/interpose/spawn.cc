// Functions that start another program. Their child borrows our memory until it has become one:
// that happens without the trap, which would not find the way back.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/family.h"
#include "runtime/free_children.h"
#include "runtime/instructions.h"
#include "runtime/interpose/interpose.h"
#include "runtime/other_program.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"

using namespace jostle;

namespace {

class Untrapped {
 public:
  Untrapped() : thread_(self()) {
    real::ready();
    if (!thread_) return;
    thread_->in_runtime = true;
    g_engine->pause_trap();
    leave_instructions();
  }
  Untrapped(const Untrapped&) = delete;
  Untrapped& operator=(const Untrapped&) = delete;
  ~Untrapped() {
    if (!thread_) return;
    if (start_carrier()) control_instructions();
    g_engine->resume_trap();
    thread_->in_runtime = false;
  }

 private:
  Thread* thread_;
};

// A program that runs by itself was started, or not.
int started(int error, const pid_t* pid) {
  const Thread* const t = self();
  if (error == 0 && pid && t && !t->scheduler->settings().whole_program)
    free_children::started(*pid);
  return error;
}

// The same for a program that is not controlled.
class FreeProcess {
 public:
  explicit FreeProcess(std::uint64_t pc) : told_(tell(pc)) {}

 private:
  static bool tell(std::uint64_t pc) {
    if (!self()) return false;
    const bool body = !g_engine->scheduler().settings().whole_program;
    g_engine->uncontrolled(body || family::controls_children()
                               ? "child process: it runs without control"
                               : "child process: it runs without control (--children controlled)",
                           pc);
    snapshot::not_restorable("it starts processes");
    family::free_process();
    return true;
  }
  [[maybe_unused]] bool told_;
  Untrapped untrapped_;
};

// The thread that may start programs which are then controlled; null: there is none.
Thread* controls() {
  Thread* t = self();
  return t && family::controls_children() && start_carrier() ? t : nullptr;
}

using Kind = other_program::Kind;

// Where it is known which program it is, and nothing can be loaded into that, it runs free.
int start(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const* argv, char* const* envp,
          std::uint64_t pc) {
  Thread* t = controls();
  const Kind kind = t ? other_program::kind_of(path) : Kind::free;
  if (kind == Kind::missing) {
    const Untrapped here;
    return started(real::posix_spawn(pid, path, actions, attributes, argv, envp), pid);
  }
  if (other_program::can_be_controlled(kind)) {
    snapshot::not_restorable("it starts processes");
    const family::Starting starting(*t, pc);
    if (!starting.possible()) return EAGAIN;
    int number = 0;
    const Untrapped here;
    const int error = real::posix_spawn(&number, path, actions, attributes, argv,
                                        starting.environment(envp, kind == Kind::linked));
    if (error != 0) return error;
    starting.started(number);
    if (pid) *pid = number;
    return 0;
  }
  const FreeProcess here(pc);
  return started(real::posix_spawn(pid, path, actions, attributes, argv, envp), pid);
}

int run_shell(const char* command, std::uint64_t pc) {
  struct sigaction ignored = {}, before[2];
  ignored.sa_handler = SIG_IGN;
  sigset_t child, mask, defaults;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigemptyset(&defaults);
  sigprocmask(SIG_BLOCK, &child, &mask);
  int i = 0;
  for (const int number : {SIGINT, SIGQUIT}) {
    sigaction(number, &ignored, &before[i]);
    if (before[i++].sa_handler != SIG_IGN) sigaddset(&defaults, number);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const char* argv[] = {"sh", "-c", "--", command, nullptr};
  int status = 127 << 8;
  pid_t pid = 0;
  const int error =
      start(&pid, "/bin/sh", nullptr, &attributes, const_cast<char* const*>(argv), environ, pc);
  if (error == 0)
    while (waitpid(pid, &status, 0) < 0)
      if (errno != EINTR) {
        status = -1;
        break;
      }
  posix_spawnattr_destroy(&attributes);
  sigaction(SIGINT, &before[0], nullptr);
  sigaction(SIGQUIT, &before[1], nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (error != 0) errno = error;
  return status;
}

}  // namespace

namespace jostle {  // its statics are not the program's: see explore/globals.cc
namespace {

// Streams to and from shells that were started here, not by the C library.
struct ToShell {
  FILE* stream;
  pid_t pid;
};
constexpr int kShells = 64;
ToShell g_shells[kShells];

}  // namespace
}  // namespace jostle

namespace {

ToShell* find(FILE* stream) {
  for (ToShell& s : g_shells)
    if (s.stream == stream) return &s;
  return nullptr;
}

FILE* open_shell(const char* command, const char* mode, std::uint64_t pc) {
  const bool reads = std::strchr(mode, 'r') != nullptr;
  ToShell* free = find(nullptr);
  int ends[2];
  if (reads == (std::strchr(mode, 'w') != nullptr)) {
    errno = EINVAL;
    return nullptr;
  }
  if (!free || pipe2(ends, O_CLOEXEC) != 0) {
    if (!free) errno = EMFILE;
    return nullptr;
  }
  const int own = ends[reads ? 0 : 1], others = ends[reads ? 1 : 0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, others, reads ? STDOUT_FILENO : STDIN_FILENO);
  for (const ToShell& s : g_shells)
    if (s.stream) posix_spawn_file_actions_addclose(&actions, fileno(s.stream));
  const char* argv[] = {"sh", "-c", "--", command, nullptr};
  pid_t pid = 0;
  const int error =
      start(&pid, "/bin/sh", &actions, nullptr, const_cast<char* const*>(argv), environ, pc);
  posix_spawn_file_actions_destroy(&actions);
  close(others);
  FILE* stream = error == 0 ? fdopen(own, reads ? "r" : "w") : nullptr;
  if (!stream) {
    close(own);
    errno = error;
    return nullptr;
  }
  if (!std::strchr(mode, 'e')) fcntl(own, F_SETFD, 0);
  *free = {stream, pid};
  return stream;
}

}  // namespace

JOSTLE_EXPORT int posix_spawn(pid_t* pid, const char* path,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* argv,
                              char* const* envp) {
  real::ready();
  return start(pid, path, actions, attributes, argv, envp, JOSTLE_CALLER);
}
JOSTLE_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                               const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* argv,
                               char* const* envp) {
  real::ready();
  if (controls())
    if (const auto found = other_program::find(file); found.path[0])
      return start(pid, found.path, actions, attributes, argv, envp, JOSTLE_CALLER);
  const FreeProcess here(JOSTLE_CALLER);
  return started(real::posix_spawnp(pid, file, actions, attributes, argv, envp), pid);
}
JOSTLE_EXPORT int system(const char* command) {
  real::ready();
  if (controls() && command) return run_shell(command, JOSTLE_CALLER);
  const FreeProcess here(JOSTLE_CALLER);
  return real::system(command);
}
JOSTLE_EXPORT FILE* popen(const char* command, const char* mode) {
  real::ready();
  if (controls()) return open_shell(command, mode, JOSTLE_CALLER);
  const FreeProcess here(JOSTLE_CALLER);
  return real::popen(command, mode);
}
JOSTLE_EXPORT int pclose(FILE* stream) {
  real::ready();
  ToShell* shell = stream ? find(stream) : nullptr;
  if (!shell) return real::pclose(stream);
  const pid_t pid = shell->pid;
  *shell = {};
  fclose(stream);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}
// Its child would return through frames of ours that its parent still needs.
JOSTLE_EXPORT pid_t vfork() noexcept { return fork(); }
