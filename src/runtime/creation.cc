#include "runtime/creation.h"

#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/family.h"
#include "runtime/instructions.h"
#include "runtime/real.h"
#include "runtime/self.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"

// Returns in the caller only; what it creates continues at the address below the top of its stack.
extern "C" long jostle_clone(long number, const greg_t* registers);

namespace jostle::creation {
namespace {

bool g_runs_free = false;

struct Request {
  std::uint64_t flags = 0;
  std::uint64_t* stack = nullptr;  // its end; null: that of the caller
};

Request request_of(const SystemCall& c) {
  switch (c.number) {
    case SYS_clone:
      return {static_cast<std::uint64_t>(c.a[0]), reinterpret_cast<std::uint64_t*>(c.a[1])};
    case SYS_clone3: {
      const auto& a = *reinterpret_cast<const clone_args*>(c.a[0]);
      return {a.flags, reinterpret_cast<std::uint64_t*>(a.stack + a.stack_size)};
    }
    case SYS_vfork:
      return {CLONE_VM | CLONE_VFORK | SIGCHLD};
    default:
      return {SIGCHLD};
  }
}

// A process that borrows the memory and the stack of its creator would overwrite the frames that
// we are in: it gets copies.
constexpr std::uint64_t kBorrows = CLONE_VM | CLONE_SIGHAND;

long create_copy(const SystemCall& c, std::uint64_t flags) {
  if (c.number == SYS_clone3) {
    clone_args a = {};
    const auto size = std::min(sizeof a, static_cast<std::size_t>(c.a[1]));
    std::memcpy(&a, reinterpret_cast<const void*>(c.a[0]), size);
    a.flags &= ~kBorrows;
    return system_call(SYS_clone3, reinterpret_cast<long>(&a), static_cast<long>(size));
  }
  const bool full = c.number == SYS_clone;
  return system_call(SYS_clone, static_cast<long>(flags & ~kBorrows), 0, full ? c.a[2] : 0,
                     full ? c.a[3] : 0, full ? c.a[4] : 0);
}

}  // namespace

bool is_call(long number) {
  return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
}

long call(const SystemCall& c, const greg_t* registers) {
  const Request r = request_of(c);
  const bool thread = (r.flags & CLONE_THREAD) != 0;
  if (self())
    g_engine->uncontrolled(
        thread ? "thread created by a raw clone" : "process created by a raw clone or fork", c.pc);
  snapshot::performed(c, 0);
  family::free_process();
  Thread* const t = t_self;
  const bool shows = (r.flags & (CLONE_PARENT | CLONE_NEWPID)) == 0;
  const auto parent = shows ? static_cast<int>(system_call(SYS_getpid)) : 0;
  t_self = nullptr;  // what is created with a copy of it is none of ours
  long result;
  if (r.stack && !registers) {
    result = pass_system_call(c);
  } else if (r.stack) {
    r.stack[-1] = static_cast<std::uint64_t>(registers[REG_RIP]);
    result = jostle_clone(c.number, registers);
  } else {
    result = create_copy(c, r.flags);
    if (result == 0) {
      run_free(parent);
      return 0;
    }
  }
  t_self = t;
  return result;
}

void run_free(int parent) {
  g_runs_free = true;
  t_self = nullptr;
  leave_instructions();
  if (!start_carrier()) return;
  // It ends with the execution, which may be over already.
  system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (parent != 0 && system_call(SYS_getppid) != parent) system_call(SYS_exit_group, 0);
}

bool runs_free() { return g_runs_free; }

void end_free_process(int status) {
  real::ready();
  if (start_carrier()) real::exit(status);
  std::fflush(nullptr);
  real::_exit(status);
  __builtin_unreachable();
}

}  // namespace jostle::creation
