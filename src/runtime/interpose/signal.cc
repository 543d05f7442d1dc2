// Signal handlers of the program. Ours must be able to return while the trap is on, and so must
// the program's: the way out of every handler is the exempt one. SIGSYS belongs to the trap.
#include <sys/syscall.h>

#include <csignal>

#include "runtime/interpose/interpose.h"
#include "runtime/signal_model.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"
#include "runtime/system_call.h"
#include "runtime/trap.h"

using namespace jostle;

JOSTLE_EXPORT int sigaction(int number, const struct sigaction* action,
                            struct sigaction* old) noexcept {
  if (number == SIGSYS) {  // pretend
    if (old) *old = {};
    return 0;
  }
  KernelSigaction in{}, out{};
  if (action) {
    in.handler = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(
        reinterpret_cast<void*>(action->sa_sigaction));
    in.flags = static_cast<unsigned long>(action->sa_flags);
    in.mask = *reinterpret_cast<const std::uint64_t*>(&action->sa_mask) & ~kNeverBlocked;
    in.use_exempt_return();
  }
  const bool kept = self() && program_sigaction(number, action ? &in : nullptr, &out);
  const long r =
      kept ? 0
           : system_call(SYS_rt_sigaction, number, action ? reinterpret_cast<long>(&in) : 0,
                         old ? reinterpret_cast<long>(&out) : 0, 8);
  if (r < 0) return with_errno(static_cast<int>(-r));
  if (self()) snapshot::performed({SYS_rt_sigaction, {number, action != nullptr}, 0}, r);
  if (old) {
    *old = {};
    old->sa_sigaction = out.handler;
    old->sa_flags = static_cast<int>(out.flags & 0xffffffff);
    *reinterpret_cast<std::uint64_t*>(&old->sa_mask) = out.mask;
  }
  return 0;
}

JOSTLE_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction in = {}, out = {};
  in.sa_handler = handler;
  in.sa_flags = SA_RESTART;
  return sigaction(number, &in, &out) == 0 ? out.sa_handler : SIG_ERR;
}

JOSTLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  std::uint64_t mask = set ? *reinterpret_cast<const std::uint64_t*>(set) : 0;
  if (how != SIG_UNBLOCK) mask &= ~kNeverBlocked;
  std::uint64_t before = 0;
  const long r = system_call(SYS_rt_sigprocmask, how, set ? reinterpret_cast<long>(&mask) : 0,
                             reinterpret_cast<long>(&before), 8);
  if (r < 0) return static_cast<int>(-r);
  if (old) {
    sigemptyset(old);
    *reinterpret_cast<std::uint64_t*>(old) = before;
  }
  if (Thread* t = self()) {
    snapshot::performed({SYS_rt_sigprocmask, {}, 0}, r);
    if (set) mask_changed(*t, kernel_mask());
  }
  return 0;
}
JOSTLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return with_errno(pthread_sigmask(how, set, old));
}
