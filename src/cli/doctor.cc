// jostle doctor: can Jostle work on this machine, and if not, what helps?
//
// Every check tries the thing itself, or reads what the kernel says about it. None needs root.
#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

namespace jostle::cli {
namespace {

enum class State { good, note, bad };  // note: works, but something is slower or missing

struct Check {
  State state;
  std::string what;          // and how it is
  std::string lost, remedy;  // if it is not good: what that means, and what helps
};

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// What the command prints first; "" if it fails.
std::string output_of(const std::string& command) {
  std::string out;
  FILE* p = popen((command + " 2>/dev/null").c_str(), "r");
  if (!p) return out;
  char line[200];
  if (std::fgets(line, sizeof line, p)) out = line;
  if (pclose(p) != 0) return "";
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

bool in_container() {
  return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
         std::getenv("container") != nullptr;
}

Check system_check() {
  utsname u = {};
  uname(&u);
  std::string what =
      std::string("Linux ") + u.release + " on " + u.machine + ", glibc " + gnu_get_libc_version();
  if (in_container()) what += ", in a container";
  if (std::strcmp(u.machine, "x86_64") == 0) return {State::good, what, "", ""};
  return {State::bad, what, "Jostle runs on x86-64 only", "use an x86-64 machine"};
}

Check fsgsbase() {
  constexpr unsigned long kFsgsbase = 1ul << 1;
  if (getauxval(AT_HWCAP2) & kFsgsbase)
    return {State::good, "fast thread switches (FSGSBASE)", "", ""};
  return {State::note, "no fast thread switches (FSGSBASE)", "each switch takes a system call",
          "a kernel from 5.9 on, not booted with nofsgsbase, on a processor that has it"};
}

Check user_dispatch() {
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0) == 0)
    return {State::good, "system calls of libraries are seen (Syscall User Dispatch)", "", ""};
  return {State::note, std::string("no Syscall User Dispatch: ") + std::strerror(errno),
          "waits inside libraries are not controlled and may hang a run",
          in_container() ? "docker run --security-opt seccomp=unconfined ..., kernel from 5.11 on"
                         : "a kernel from 5.11 on"};
}

// Of a function in a process of its own.
template <class F>
int exit_code_of(F f) {
  const pid_t child = fork();
  if (child == 0) _exit(f());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

Check same_addresses() {
  const auto off = [] { return personality(ADDR_NO_RANDOMIZE) == -1 ? 1 : 0; };
  if (exit_code_of(off) == 0)
    return {State::good, "programs can be given the same addresses each time (ASLR off)", "", ""};
  return {State::note, "address randomisation (ASLR) cannot be turned off for a program",
          "a program whose behaviour depends on addresses may not replay",
          in_container() ? "docker run --security-opt seccomp=unconfined ..."
                         : "sudo sysctl kernel.randomize_va_space=0"};
}

Check time_stamps() {
  const auto trap = [] { return prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0 ? 1 : 0; };
  if (exit_code_of(trap) == 0)
    return {State::good, "the time stamp counter can show virtual time (PR_SET_TSC)", "", ""};
  return {State::note, "the time stamp counter cannot be controlled (PR_SET_TSC)",
          "programs that read it see real time",
          in_container() ? "docker run --security-opt seccomp=unconfined ..." : "another kernel"};
}

Check debuggers() {
  const auto traced = [] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0 ? 1 : 0; };
  if (exit_code_of(traced) == 0)
    return {State::good, "debuggers work here (ptrace), for 'jostle replay --gdb'", "", ""};
  return {State::note, "debuggers do not work here (ptrace)", "'jostle replay --gdb' fails",
          in_container() ? "docker run --cap-add=SYS_PTRACE ..."
                         : "sudo sysctl kernel.yama.ptrace_scope=1"};
}

// A run reads the memory of a process that it forked, to name variables that kept their values.
Check child_memory() {
  static volatile int probe = 1;
  int ready[2], done[2];
  if (pipe(ready) != 0 || pipe(done) != 0)
    return {State::bad, std::string("no pipe: ") + std::strerror(errno),
            "findings cannot be confirmed", "ulimit -n 256"};
  const pid_t child = fork();
  if (child == 0) {
    close(done[1]);
    probe = 2;
    char c = 0;
    (void)!write(ready[1], &c, 1);
    (void)!read(done[0], &c, 1);
    _exit(0);
  }
  if (child < 0)
    return {State::bad, std::string("processes cannot be made: ") + std::strerror(errno),
            "findings cannot be confirmed",
            "ulimit -u unlimited, or a higher pids limit of the container"};
  char c = 0;
  (void)!read(ready[0], &c, 1);
  int seen = 0;
  iovec local{&seen, sizeof seen}, remote{const_cast<int*>(&probe), sizeof probe};
  const bool works = process_vm_readv(child, &local, 1, &remote, 1, 0) == sizeof seen && seen == 2;
  const int error = errno;
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) close(fd);
  waitpid(child, nullptr, 0);
  if (works)
    return {State::good, "memory of child processes can be read (process_vm_readv)", "", ""};
  std::string remedy = "sudo sysctl kernel.yama.ptrace_scope=1";
  if (in_container()) remedy = "docker run --cap-add=SYS_PTRACE ...";
  const std::string scope = first_line("/proc/sys/kernel/yama/ptrace_scope");
  return {State::note,
          std::string("memory of child processes cannot be read: ") + std::strerror(error) +
              (scope.empty() ? "" : " (ptrace_scope is " + scope + ")"),
          "a finding that does not replay is not explained by the variables that changed", remedy};
}

// Jostle reserves much more than it touches.
Check address_space() {
  constexpr std::size_t kReserve = 2ull << 30;
  void* p = mmap(nullptr, kReserve, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p != MAP_FAILED) {
    munmap(p, kReserve);
    return {State::good, "address space can be reserved", "", ""};
  }
  rlimit limit = {};
  getrlimit(RLIMIT_AS, &limit);
  return {State::bad, "2 GiB of address space cannot be reserved",
          "runs end with a trap at their start",
          limit.rlim_cur != RLIM_INFINITY ? "ulimit -v unlimited"
                                          : "sudo sysctl vm.overcommit_memory=0"};
}

std::string size_text(rlim_t bytes) {
  return bytes == RLIM_INFINITY ? "unlimited" : std::to_string(bytes >> 10) + " KiB";
}

Check stacks() {
  rlimit limit = {};
  getrlimit(RLIMIT_STACK, &limit);
  const std::string what = "stack limit " + size_text(limit.rlim_cur);
  if (limit.rlim_cur >= 1u << 20) return {State::good, what, "", ""};
  return {State::note, what,
          "the threads of a run have 8 MiB each, but the program itself may not start",
          "ulimit -s 8192"};
}

Check core_files() {
  rlimit limit = {};
  getrlimit(RLIMIT_CORE, &limit);
  // Crashes of controlled threads are caught; only what kills a whole process leaves a file.
  return {State::good,
          "core files: " +
              (limit.rlim_cur == 0 ? std::string("off") : "up to " + size_text(limit.rlim_cur)),
          "", ""};
}

Check compilers() {
  std::string found;
  for (const char* name : {"g++", "clang++", "clang++-19", "clang++-14"}) {
    const std::string version = output_of(std::string(name) + " -dumpfullversion -dumpversion");
    if (!version.empty()) found += (found.empty() ? "" : ", ") + std::string(name) + " " + version;
  }
  if (!found.empty()) return {State::good, "compilers: " + found, "", ""};
  return {State::bad, "neither g++ nor clang++ is in PATH", "nothing can be instrumented",
          "sudo apt-get install g++"};
}

ExitCode examine() {
  const Check checks[] = {system_check(),   fsgsbase(),    user_dispatch(), child_memory(),
                          same_addresses(), time_stamps(), debuggers(),     address_space(),
                          stacks(),         core_files(),  compilers()};
  int notes = 0, wrong = 0;
  for (const Check& c : checks) {
    const char* mark = c.state == State::good   ? "ok   "
                       : c.state == State::note ? "note "
                                                : "BAD  ";
    std::printf("%s %s\n", mark, c.what.c_str());
    if (c.state == State::good) continue;
    ++(c.state == State::bad ? wrong : notes);
    std::printf("        so:   %s\n        cure: %s\n", c.lost.c_str(), c.remedy.c_str());
  }
  if (wrong > 0) {
    std::printf("Jostle cannot work here: %d of %zu checks failed\n", wrong, std::size(checks));
    return ExitCode::internal;
  }
  std::printf(notes > 0 ? "Jostle works here, with what the notes say\n" : "Jostle works here\n");
  return ExitCode::ok;
}

}  // namespace

void add_doctor(CLI::App& app, ExitCode& code) {
  app.footer("Exit codes: 0 Jostle works here, 3 it does not.");
  app.callback([&code] { code = examine(); });
}

}  // namespace jostle::cli
