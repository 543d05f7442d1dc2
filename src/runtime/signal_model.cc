#include "runtime/signal_model.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/engine.h"
#include "runtime/outside.h"
#include "runtime/self.h"
#include "runtime/signals.h"
#include "runtime/switch.h"
#include "runtime/system_call.h"
#include "runtime/trap.h"

namespace jostle {
namespace {

// Those that do nothing by default.
constexpr std::uint64_t kHarmless =
    signal_bit(SIGCHLD) | signal_bit(SIGURG) | signal_bit(SIGWINCH) | signal_bit(SIGCONT);

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

// On the kernel thread that runs: if its mask allows it, the handler is called before this returns.
long raise_here(int number) {
  return system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), number);
}
long raise_unblocked(int number) {
  const std::uint64_t mask = kernel_mask();
  set_kernel_mask(mask & ~signal_bit(number));
  const long r = raise_here(number);
  set_kernel_mask(mask);
  return r;
}

// Calls f with each signal of the set; they are no longer pending.
template <class F>
void take_each(Carrier& c, std::uint64_t set, F f) {
  for (std::uint64_t left = c.pending & set; left; left &= left - 1) {
    c.pending &= ~(left & -left);
    f(__builtin_ctzll(left) + 1);
  }
}

// What a thread was about to do, kept while a handler does other things.
class Kept {
 public:
  explicit Kept(Thread& t) : thread_(t), state_(t) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    thread_.pending = state_.pending;
    thread_.timed_out = state_.timed_out;
    thread_.woken = state_.woken;
    thread_.spurious = state_.spurious;
    thread_.wait_mask = state_.wait_mask;
    thread_.deadline = state_.deadline;
    thread_.waiting_on = state_.waiting_on;
    thread_.resume = state_.resume;
    thread_.reacquire = state_.reacquire;
  }

 private:
  Thread& thread_;
  const ThreadState state_;
};

// Where a fiber goes on that was sent a signal meanwhile: on top of whatever it does.
void handle_and_go_on() {
  Thread& t = *t_self;
  Carrier& c = carrier_of(t);
  void* const interrupted = c.interrupted;
  c.interrupted = nullptr;
  {
    const Kept kept(t);
    const int error = *c.errno_slot;
    const bool in_runtime = t.in_runtime;
    t.in_runtime = false;
    bool restarts = true;
    take_each(c, ~c.blocked, [&](int number) {
      restarts &= (action_of(number).flags & SA_RESTART) != 0;
      raise_here(number);
    });
    t.in_runtime = in_runtime;
    *c.errno_slot = error;
    c.handled = true;
    c.restarts = restarts;
  }
  void* done;
  choose_switch()(&done, interrupted, c.fs);
}

// A thread that waits for a lock or a condition would have to go on waiting afterwards.
bool can_be_interrupted(const Thread& t) {
  return t.scheduler->enabled(t) || t.wait == Wait::sleeping ||
         t.pending.kind == EventKind::io_wait;
}

void interrupt(Thread& t) {
  Carrier& c = carrier_of(t);
  if (!c.interrupted) {
    c.interrupted = c.sp;
    c.sp = make_context(static_cast<char*>(c.sp) - 256, &handle_and_go_on);
  }
  outside::interrupt(t);
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
  Carrier& c = carrier_of(t);
  c.blocked = mask;
  take_each(c, ~mask, [](int number) { raise_here(number); });
}

long send_signal(Thread& by, Thread& to, int number, std::uint64_t pc) {
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
  const std::uint64_t bit = signal_bit(number);
  if (((c.blocked | c.awaited) & bit & ~kNeverBlocked) != 0) {
    c.pending |= bit;
    outside::look();
    return 0;
  }
  const KernelSigaction action = action_of(number);
  if (is_ignored(action, number)) return 0;
  if (&to == &by || !has_handler(action)) return raise_unblocked(number);
  if (&engine().carriage() == &fiber_carriage() && can_be_interrupted(to)) {
    c.pending |= bit;
    interrupt(to);
    return 0;
  }
  engine().uncontrolled("pthread_kill: the handler runs on the sending thread", pc);
  return raise_unblocked(number);
}

long send_signal_to_process(Thread& by, int number, std::uint64_t pc) {
  if (number < 0 || number > 64) return -EINVAL;
  if (number == 0) return 0;
  Scheduler& s = *by.scheduler;
  const std::uint64_t bit = signal_bit(number);
  Thread* unblocked = nullptr;
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    Thread& t = s.thread(static_cast<ThreadId>(i));
    if (t.finished) continue;
    if (carrier_of(t).awaited & bit) return send_signal(by, t, number, pc);
    if (!(carrier_of(t).blocked & bit) && (!unblocked || &t == &by)) unblocked = &t;
  }
  if (unblocked) return send_signal(by, *unblocked, number, pc);
  // Whoever unblocks it, or asks for it, gets it from the kernel.
  for (std::uint32_t i = 0; i < s.thread_count(); ++i)
    if (Thread& t = s.thread(static_cast<ThreadId>(i)); &t != &by) s.learn(t, by);
  s.tick(by);
  const long r = system_call(SYS_kill, system_call(SYS_getpid), number);
  outside::look();
  return r;
}

std::uint64_t pending_signals(const Thread& t) {
  std::uint64_t held = 0;
  system_call(SYS_rt_sigpending, reinterpret_cast<long>(&held), 8);
  return held | carrier_of(t).pending;
}

int take_signal(Thread& t, std::uint64_t set, siginfo_t* info) {
  Carrier& c = carrier_of(t);
  if ((c.pending & set) == 0) return 0;
  const int number = __builtin_ctzll(c.pending & set) + 1;
  c.pending &= ~signal_bit(number);
  if (info) {
    *info = {};
    info->si_signo = number;
    info->si_code = SI_TKILL;
    info->si_pid = static_cast<pid_t>(system_call(SYS_getpid));
    info->si_uid = static_cast<uid_t>(system_call(SYS_getuid));
  }
  return number;
}

bool handle_pending(Thread& t, std::uint64_t mask) {
  Carrier& c = carrier_of(t);
  if ((c.pending & ~mask) == 0) return false;
  const std::uint64_t before = kernel_mask();
  set_kernel_mask(mask & ~kNeverBlocked);
  take_each(c, ~mask, [](int number) { raise_here(number); });
  set_kernel_mask(before);
  return true;
}

}  // namespace jostle
