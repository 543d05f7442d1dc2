#include "runtime/trap.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "runtime/cancellation.h"
#include "runtime/creation.h"
#include "runtime/descriptors.h"
#include "runtime/engine.h"
#include "runtime/self.h"
#include "runtime/signal_model.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"
#include "runtime/system_call.h"
#include "runtime/system_model.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

namespace jostle {
namespace {

long change_mask(std::uint64_t& mask, const SystemCall& call) {
  const auto* set = reinterpret_cast<const std::uint64_t*>(call.a[1]);
  auto* old = reinterpret_cast<std::uint64_t*>(call.a[2]);
  const std::uint64_t before = mask;
  if (set) {
    switch (call.a[0]) {
      case SIG_BLOCK:
        mask |= *set;
        break;
      case SIG_UNBLOCK:
        mask &= ~*set;
        break;
      case SIG_SETMASK:
        mask = *set;
        break;
      default:
        return -EINVAL;
    }
    mask &= ~kNeverBlocked;
  }
  if (old) *old = before;
  return 0;
}

// Of those that POSIX names, the calls that may wait. The C library's functions for the others make
// them for purposes of their own, too.
bool is_cancellation_point(const SystemCall& c) {
  if (descriptors::writes(c.number) || descriptors::takes(c.number) || descriptors::asks(c.number))
    return true;
  switch (c.number) {
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_pause:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_msgsnd:
    case SYS_msgrcv:
      return true;
    case SYS_fcntl:
      return c.a[1] == F_SETLKW || c.a[1] == F_OFD_SETLKW;
    default:
      return false;
  }
}

// A thread that is cancelled leaves by unwinding, through the frame of the signal.
long model_cancellable(Thread& t, const SystemCall& c) {
  Carrier& carrier = carrier_of(t);
  const bool before = carrier.cancellable;  // of the call that a handler has interrupted
  carrier.cancellable = is_cancellation_point(c);
  if (carrier.cancellable) cancellation_point(t);
  const long r = model_system_call(t, c);
  if (carrier.cancellable && r == -EINTR) cancellation_point(t);
  carrier.cancellable = before;
  return r;
}

void on_sigsys(int, siginfo_t* info, void* context) {
  auto* u = static_cast<ucontext_t*>(context);
  greg_t* g = u->uc_mcontext.gregs;
  const int saved = errno;
  // As a return address, which lies behind the call: so does the unwinder tell it.
  SystemCall call{info->si_syscall,
                  {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]},
                  static_cast<std::uint64_t>(g[REG_RIP]) + 1};
  Thread* t = self();
  if (call.number == SYS_rt_sigprocmask) {
    // Returning from here puts the mask back that was in force: so that is where it is changed.
    auto& mask = *reinterpret_cast<std::uint64_t*>(&u->uc_sigmask);
    g[REG_RAX] = change_mask(mask, call);
    snapshot::performed(call, g[REG_RAX]);
    if (t && call.a[1] != 0) mask_changed(*t, mask);
    errno = saved;
    return;
  }
  if (call.number == SYS_rt_sigreturn) {
    // A handler that was installed behind our back: it must return by its own instruction.
    g_engine->pause_trap();
    g[REG_RAX] = call.number;
    g[REG_RIP] -= 2;
    return;
  }
  if (creation::is_call(call.number)) {
    g[REG_RAX] = creation::call(call, g);
    errno = saved;
    return;
  }
  g[REG_RAX] = t ? model_cancellable(*t, call) : pass_system_call(call);
  errno = saved;
}

}  // namespace

void install_trap_handler() {
  KernelSigaction sa{&on_sigsys, SA_SIGINFO | SA_NODEFER, nullptr, 0};
  sa.use_exempt_return();
  system_call(SYS_rt_sigaction, SIGSYS, reinterpret_cast<long>(&sa), 0, 8);
}

bool arm_trap(char* selector) {
  *selector = kTrapOff;
  const Exempt e = exempt_code();
  return system_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, 1, static_cast<long>(e.begin),
                     static_cast<long>(e.end - e.begin), reinterpret_cast<long>(selector)) == 0;
}

}  // namespace jostle
