#include "runtime/signal_model.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/cancellation.h"
#include "runtime/engine.h"
#include "runtime/family.h"
#include "runtime/outside.h"
#include "runtime/self.h"
#include "runtime/signals.h"
#include "runtime/system_call.h"
#include "runtime/trap.h"
#include "sched/model/model.h"

namespace jostle {
namespace {

// Those that do nothing by default.
constexpr std::uint64_t kHarmless =
    signal_bit(SIGCHLD) | signal_bit(SIGURG) | signal_bit(SIGWINCH) | signal_bit(SIGCONT);

// The first of those that are queued.
constexpr int kFirstQueued = 32;

KernelSigaction action_of(int number) {
  KernelSigaction a{};
  if (!program_sigaction(number, nullptr, &a))
    system_call(SYS_rt_sigaction, number, 0, reinterpret_cast<long>(&a), 8);
  return a;
}
bool is_ignored(const KernelSigaction& a, int number) {
  const auto handler = reinterpret_cast<std::uintptr_t>(a.handler);
  return handler == 1 || (handler == 0 && (signal_bit(number) & kHarmless) != 0);
}
bool has_handler(const KernelSigaction& a) {
  return reinterpret_cast<std::uintptr_t>(a.handler) > 1;
}

// Those that stop a process do not end it.
constexpr std::uint64_t kStopping =
    signal_bit(SIGSTOP) | signal_bit(SIGTSTP) | signal_bit(SIGTTIN) | signal_bit(SIGTTOU);
bool ends(const KernelSigaction& a, int number) {
  return !has_handler(a) && !is_ignored(a, number) && !(signal_bit(number) & kStopping);
}

siginfo_t info_of(const Carrier::Sent& sent) {
  siginfo_t info = {};
  info.si_signo = sent.number;
  info.si_code = sent.code;
  if (sent.code != SI_TIMER) {  // it has other members there
    info.si_pid = sent.sender ? sent.sender : static_cast<pid_t>(system_call(SYS_getpid));
    info.si_uid = static_cast<uid_t>(system_call(SYS_getuid));
  }
  info.si_value = sent.value;
  return info;
}

// On the kernel thread that runs: if its mask allows it, the handler is called before this returns.
long raise_here(const Carrier::Sent& sent) {
  const siginfo_t info = info_of(sent);
  return system_call(SYS_rt_tgsigqueueinfo, system_call(SYS_getpid), system_call(SYS_gettid),
                     sent.number, reinterpret_cast<long>(&info));
}
// As long as a handler runs, what it blocks is blocked for its thread, even if others run.
long raise_for(Thread& t, const Carrier::Sent& sent) {
  Carrier& c = carrier_of(t);
  const KernelSigaction action = action_of(sent.number);
  if (family::is_child() && ends(action, sent.number)) family::end(-sent.number);
  const std::uint64_t before = c.blocked, kernel = kernel_mask(), bit = signal_bit(sent.number);
  if (has_handler(action))
    c.blocked |= (action.mask | (action.flags & SA_NODEFER ? 0 : bit)) & ~kNeverBlocked;
  if (kernel & bit) set_kernel_mask(kernel & ~bit);
  const long r = raise_here(sent);
  if (kernel & bit) set_kernel_mask(kernel);
  c.blocked = before;
  return r;
}

// Those of the standard numbers are pending or not; of the others each counts.
long keep(Carrier& c, const Carrier::Sent& sent) {
  if (sent.number < kFirstQueued && (c.pending & signal_bit(sent.number))) return 0;
  if (c.sent_count == Carrier::kSent) return -EAGAIN;
  c.sent[c.sent_count++] = sent;
  c.pending |= signal_bit(sent.number);
  return 0;
}

// The lowest number first, and of each number the first that was sent. False: there is none.
bool take(Carrier& c, std::uint64_t set, Carrier::Sent& out) {
  if ((c.pending & set) == 0) return false;
  const int number = __builtin_ctzll(c.pending & set) + 1;
  std::uint32_t i = 0, n = 0;
  while (c.sent[i].number != number) ++i;
  out = c.sent[i];
  c.pending = 0;
  for (std::uint32_t k = 0; k < c.sent_count; ++k)
    if (k != i) {
      c.sent[n++] = c.sent[k];
      c.pending |= signal_bit(c.sent[k].number);
    }
  c.sent_count = n;
  return true;
}

// Runs handlers of what was sent to t and `mask` does not block. False if one of them wants calls
// that wait to fail.
bool raise_pending(Thread& t, std::uint64_t mask) {
  bool restarts = true;
  for (Carrier::Sent sent; take(carrier_of(t), ~mask, sent);) {
    restarts &= (action_of(sent.number).flags & SA_RESTART) != 0;
    raise_for(t, sent);
  }
  return restarts;
}

}  // namespace

void set_kernel_mask(std::uint64_t mask) {
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), 0, 8);
}

std::uint64_t kernel_mask() {
  std::uint64_t mask = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, 0, reinterpret_cast<long>(&mask), 8);
  return mask;
}

void mask_changed(Thread& t, std::uint64_t mask) {
  carrier_of(t).blocked = mask;
  raise_pending(t, mask);
}

bool is_ignored(int number) {
  return reinterpret_cast<std::uintptr_t>(action_of(number).handler) == 1;
}

bool ends_the_program(int number) {
  const KernelSigaction action = action_of(number);
  return !has_handler(action) && !is_ignored(action, number);
}

void handle_signals(Thread& t) {
  Scheduler& s = *t.scheduler;
  Carrier& c = carrier_of(t);
  const bool starts = t.pending.kind != EventKind::signal_handler;
  const Doing doing = starts ? Doing{} : model::interruption(s, t);
  t.interrupted = false;
  const int error = *c.errno_slot;
  const bool in_runtime = t.in_runtime;
  t.in_runtime = false;
  const bool restarts = raise_pending(t, c.blocked);
  cancelled_asynchronously(t);
  t.in_runtime = in_runtime;
  *c.errno_slot = error;
  if (!starts) model::go_on(s, t, doing, restarts);
}

void interrupt(Thread& t) {
  outside::interrupt(t);
  model::interrupt(*t.scheduler, t);
}

long send_signal(Thread& by, Thread& to, int number, std::uint64_t pc, SignalValue value) {
  if (number < 0 || number > 64) return -EINVAL;
  if (number == 0 || to.finished) return 0;
  Scheduler& s = *by.scheduler;
  if (&to != &by) {
    s.announce(by, EventKind::thread_kill, 0, pc);
    s.point(by);
    if (Event* e = s.performed(by, nullptr)) e->other = to.id;
    if (to.finished) return 0;
    // What the sender did before is known to whoever gets it.
    s.learn(to, by);
    s.tick(by);
  }
  Carrier& c = carrier_of(to);
  const Carrier::Sent sent{number, value.code, value.value, 0};
  if (((c.blocked | c.awaited) & signal_bit(number) & ~kNeverBlocked) != 0) {
    const long r = keep(c, sent);
    outside::look();
    return r;
  }
  const KernelSigaction action = action_of(number);
  if (is_ignored(action, number)) return 0;
  if (&to == &by || !has_handler(action)) return raise_for(by, sent);
  const long r = keep(c, sent);
  if (r == 0) interrupt(to);
  return r;
}

long send_signal_to_process(Thread& by, int number, std::uint64_t pc, SignalValue value) {
  if (number < 0 || number > 64) return -EINVAL;
  if (number == 0) return 0;
  Scheduler& s = *by.scheduler;
  const std::uint64_t bit = signal_bit(number);
  Thread* unblocked = nullptr;
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    Thread& t = s.thread(static_cast<ThreadId>(i));
    if (t.finished) continue;
    if (carrier_of(t).awaited & bit) return send_signal(by, t, number, pc, value);
    if (!(carrier_of(t).blocked & bit) && (!unblocked || &t == &by)) unblocked = &t;
  }
  if (unblocked) return send_signal(by, *unblocked, number, pc, value);
  // Whoever unblocks it, or asks for it, gets it from the kernel.
  for (std::uint32_t i = 0; i < s.thread_count(); ++i)
    if (Thread& t = s.thread(static_cast<ThreadId>(i)); &t != &by) s.learn(t, by);
  s.tick(by);
  const siginfo_t info = info_of({number, value.code, value.value, 0});
  const long process = system_call(SYS_getpid);
  const long r = value.code == SI_USER ? system_call(SYS_kill, process, number)
                                       : system_call(SYS_rt_sigqueueinfo, process, number,
                                                     reinterpret_cast<long>(&info));
  outside::look();
  return r;
}

void take_arrived_signals(Thread& here) {
  Scheduler& s = *here.scheduler;
  std::uint64_t wanted = 0;
  const auto each = [&](auto f) {
    for (std::uint32_t i = 0; i < s.thread_count(); ++i)
      if (Thread& t = s.thread(static_cast<ThreadId>(i)); !t.finished) f(t, carrier_of(t));
  };
  each([&](Thread&, const Carrier& c) { wanted |= ~c.blocked | c.awaited; });
  wanted &= ~kNeverBlocked;
  for (;;) {
    siginfo_t info = {};
    const timespec at_once = {0, 0};
    const long n = system_call(SYS_rt_sigtimedwait, reinterpret_cast<long>(&wanted),
                               reinterpret_cast<long>(&info), reinterpret_cast<long>(&at_once), 8);
    if (n <= 0) return;
    const auto number = static_cast<int>(n);
    const std::uint64_t bit = signal_bit(number);
    Thread *waits = nullptr, *unblocked = nullptr;
    each([&](Thread& t, const Carrier& c) {
      if ((c.awaited & bit) && !waits) waits = &t;
      if (!(c.blocked & bit) && (!unblocked || &t == &here)) unblocked = &t;
    });
    const Carrier::Sent sent{number, info.si_code, info.si_value, info.si_pid};
    const KernelSigaction action = action_of(number);
    if (waits) {
      keep(carrier_of(*waits), sent);
    } else if (unblocked && has_handler(action)) {
      if (keep(carrier_of(*unblocked), sent) == 0) interrupt(*unblocked);
    } else if (!is_ignored(action, number)) {
      if (family::is_child() && ends(action, number)) family::end(-number);
      set_kernel_mask(~bit);
      raise_here(sent);
    }
  }
}

std::uint64_t pending_signals(const Thread& t) {
  std::uint64_t held = 0;
  system_call(SYS_rt_sigpending, reinterpret_cast<long>(&held), 8);
  return held | carrier_of(t).pending;
}

int take_signal(Thread& t, std::uint64_t set, siginfo_t* info) {
  Carrier::Sent sent;
  if (!take(carrier_of(t), set, sent)) return 0;
  if (info) *info = info_of(sent);
  return sent.number;
}

bool handle_pending(Thread& t, std::uint64_t mask) {
  if ((carrier_of(t).pending & ~mask) == 0) return false;
  const std::uint64_t before = kernel_mask();
  set_kernel_mask(mask & ~kNeverBlocked);
  raise_pending(t, mask);
  set_kernel_mask(before);
  return true;
}

}  // namespace jostle
