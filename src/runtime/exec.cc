#include "runtime/exec.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/mapped.h"
#include "runtime/engine.h"
#include "runtime/family.h"
#include "runtime/instructions.h"
#include "runtime/once_per_process.h"
#include "runtime/other_program.h"
#include "runtime/outside.h"
#include "runtime/own_descriptors.h"
#include "runtime/signal_model.h"
#include "runtime/snapshot.h"
#include "runtime/system_call.h"

namespace jostle::exec {
namespace {

char g_note[PATH_MAX] = "";
bool g_changed = false;

// What the successor inherits of descriptors and of ignored signals.
struct Inherited {
  std::uint64_t descriptors[4], ignored;
  std::uint64_t standard[3];  // what they lead to
};
Inherited g_at_first;

void look_at_standard_streams(Inherited& r) {
  for (int fd = 0; fd < 3; ++fd) {
    struct stat st;
    const bool open = system_call(SYS_fstat, fd, reinterpret_cast<long>(&st)) == 0;
    r.standard[fd] = open ? combine64(combine64(st.st_dev, st.st_ino), st.st_rdev) | 1 : 0;
  }
}

Inherited inherited() {
  Inherited r{};
  look_at_standard_streams(r);
  for (int fd = 3; fd < 256; ++fd) {
    const long flags = system_call(SYS_fcntl, fd, F_GETFD);
    if (flags >= 0 && !(flags & FD_CLOEXEC)) r.descriptors[fd / 64] |= 1ull << (fd % 64);
  }
  for (int number = 1; number <= 64; ++number)
    if (is_ignored(number)) r.ignored |= signal_bit(number);
  return r;
}

bool changed() {
  const Inherited now = inherited();
  return g_changed || std::memcmp(&now, &g_at_first, sizeof now) != 0;
}

void put(long fd, const char* word) {
  system_call(SYS_write, fd, reinterpret_cast<long>(word),
              static_cast<long>(std::strlen(word) + 1));
}

bool note(const SystemCall& c) {
  char directory[PATH_MAX];
  if (g_note[0] == 0 || c.number != SYS_execve || changed() ||
      system_call(SYS_access, c.a[0], X_OK) != 0 ||
      std::strncmp(reinterpret_cast<const char*>(c.a[0]), "/proc/self/", 11) == 0 ||
      system_call(SYS_getcwd, reinterpret_cast<long>(directory), sizeof directory) < 0)
    return false;
  // Another process of the search may be doing it, too, with the same words.
  const long fd =
      system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(g_note), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  put(fd, directory);
  put(fd, reinterpret_cast<const char*>(c.a[0]));
  for (auto* word = reinterpret_cast<char* const*>(c.a[1]); word && *word; ++word) put(fd, *word);
  put(fd, "");
  for (auto* word = reinterpret_cast<char* const*>(c.a[2]); word && *word; ++word) put(fd, *word);
  system_call(SYS_close, fd);
  return true;
}

// execveat() and fexecve() may know the program by a descriptor only.
SystemCall by_path(const SystemCall& c, char (&path)[PATH_MAX]) {
  if (c.number != SYS_execveat || (c.a[4] & ~AT_EMPTY_PATH) != 0) return c;
  const auto* given = reinterpret_cast<const char*>(c.a[1]);
  const bool empty = !given || *given == 0;
  if (empty && !(c.a[4] & AT_EMPTY_PATH)) return c;
  SystemCall by{SYS_execve, {c.a[1], c.a[2], c.a[3]}, c.pc};
  if (!empty && (*given == '/' || static_cast<int>(c.a[0]) == AT_FDCWD)) return by;
  by.a[0] = reinterpret_cast<long>(path);
  char link[40];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", static_cast<int>(c.a[0]));
  const long size = system_call(SYS_readlink, reinterpret_cast<long>(link),
                                reinterpret_cast<long>(path), sizeof path - 1);
  if (size > 0 && empty) {
    path[size] = 0;
    if (system_call(SYS_access, by.a[0], X_OK) == 0) return by;
  }
  // Without a name: it was removed, or never had one.
  std::snprintf(path, sizeof path, "%s%s%s", link, empty ? "" : "/", empty ? "" : given);
  return by;
}

using other_program::Kind;

Kind kind_of(const SystemCall& c) {
  if (c.number != SYS_execve) return Kind::free;
  return other_program::kind_of(reinterpret_cast<const char*>(c.a[0]));
}

// Other processes of the execution go on meanwhile, but nobody of this one.
void outlive_program(Thread& t, const SystemCall& end) {
  Scheduler& s = *t.scheduler;
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    Thread& other = s.thread(static_cast<ThreadId>(i));
    if (&other == &t || other.finished) continue;
    s.disarm(other);
    s.disable(other, Wait::untimed);
  }
  // What it has open, the program has, too: whoever waits for its end waits for that of the
  // program.
  own_descriptors::close({SYS_close_range, {0, ~0u, 0}, end.pc});
  model_system_call(t, end);
}

// The process goes on being ours: a child becomes the new program, and its end is the end of the
// execution.
long replace_program(Thread& t, const SystemCall& c) {
  int report[2];
  if (const long r = system_call(SYS_pipe2, reinterpret_cast<long>(report), O_CLOEXEC); r < 0)
    return r;
  std::optional<family::Starting> controlled;
  char** environment = reinterpret_cast<char**>(c.a[2]);
  if (const Kind kind = kind_of(c); family::controls_children() && can_be_controlled(kind)) {
    controlled.emplace(t, c.pc);
    if (controlled->possible())
      environment = controlled->environment(environment, kind == Kind::linked);
    else
      controlled.reset();
  }
  if (!controlled) {
    engine().uncontrolled("exec: the program that takes over runs without control", c.pc);
    outside::not_alone();
  }
  const long child = system_call(SYS_fork);
  if (child == 0) {
    system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    leave_instructions();
    set_kernel_mask(carrier_of(t).blocked);
    const long failed =
        system_call(c.number, c.a[0], c.a[1], reinterpret_cast<long>(environment), c.a[3], c.a[4]);
    system_call(SYS_write, report[1], reinterpret_cast<long>(&failed), sizeof failed);
    system_call(SYS_exit_group, 127);
  }
  system_call(SYS_close, report[1]);
  long failed = 0;
  const bool did = system_call(SYS_read, report[0], reinterpret_cast<long>(&failed),
                               sizeof failed) != sizeof failed;
  system_call(SYS_close, report[0]);
  if (did && controlled) controlled->started(static_cast<int>(child));
  controlled.reset();
  int status = 0;
  if (did && family::several())
    outlive_program(t, {SYS_wait4, {child, reinterpret_cast<long>(&status)}, c.pc});
  else
    system_call(SYS_wait4, child, reinterpret_cast<long>(&status));
  if (!did) return child < 0 ? child : failed;
  if (family::is_child())
    family::end(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
  snapshot::not_restorable("another program takes its place");
  if (WIFSIGNALED(status)) {
    char message[80];
    std::snprintf(message, sizeof message, "the program that took over was killed by signal %d",
                  WTERMSIG(status));
    engine().fail(t, FindingKind::crash, c.pc, nullptr, 0, message,
                  static_cast<std::uint32_t>(WTERMSIG(status)));
  }
  engine().exited(t, WEXITSTATUS(status), c.pc);
}

}  // namespace

void note_in(const std::string& file) {
  if (file.size() < sizeof g_note) std::strcpy(g_note, file.c_str());
  g_at_first = inherited();
}

void forget() {
  g_changed = false;
  static OncePerProcess first;
  if (g_note[0] != 0 && first()) look_at_standard_streams(g_at_first);
}

void look_at(const SystemCall& c) {
  switch (c.number) {
    case SYS_prlimit64:
      g_changed |= c.a[2] != 0 && !g_raises_limit;
      return;
    case SYS_personality:
      g_changed |= c.a[0] != 0xffffffff;
      return;
    case SYS_setrlimit:
    case SYS_umask:
    case SYS_setpriority:
    case SYS_sched_setaffinity:
    case SYS_sched_setscheduler:
    case SYS_chroot:
    case SYS_unshare:
    case SYS_setns:
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setgroups:
    case SYS_capset:
    case SYS_prctl:
    case SYS_setsid:
    case SYS_setpgid:
      g_changed = true;
      return;
    default:
      return;
  }
}

long call(Thread& t, const SystemCall& asked) {
  static char path[PATH_MAX];
  const SystemCall c = by_path(asked, path);
  if (t.id == 0 && t.scheduler->thread_count() == 1 && note(c)) engine().skip(t);
  const Kind kind = kind_of(c);
  if (kind == Kind::missing) return pass_system_call(c);  // which says why
  if (family::is_child() && family::can_start_programs() && can_be_controlled(kind))
    return family::become(t, c, kind == Kind::linked);
  return replace_program(t, c);
}

}  // namespace jostle::exec
