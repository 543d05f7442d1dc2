#include "runtime/signals.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>

#include "runtime/busy_waits.h"
#include "runtime/engine.h"
#include "runtime/family.h"
#include "runtime/instructions.h"
#include "runtime/self.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"
#include "runtime/timers.h"
#include "runtime/trap.h"

namespace jostle {
namespace {

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

}  // namespace

const char* signal_text(int s) {
  switch (s) {
    case SIGSEGV:
      return "segmentation fault (SIGSEGV)";
    case SIGBUS:
      return "bus error (SIGBUS)";
    case SIGFPE:
      return "arithmetic error (SIGFPE)";
    case SIGILL:
      return "illegal instruction (SIGILL)";
    case SIGABRT:
      return "aborted (SIGABRT)";
    case SIGTRAP:
      return "trap (SIGTRAP)";
    default:
      return "signal";
  }
}

namespace {

KernelSigaction g_program[65];
bool g_program_has_some = false,
     g_handles = false;  // clearing all of them in each execution would be felt
int g_handling = 0;

void on_crash(int number, siginfo_t* info, void* context) {
  if (number == SIGSEGV && (read_time_stamp(*info, context) ||
                            snapshot::on_fault(reinterpret_cast<std::uint64_t>(info->si_addr))))
    return;
  Thread* t = t_self;
  const auto* u = static_cast<ucontext_t*>(context);
  const auto pc = static_cast<std::uint64_t>(u->uc_mcontext.gregs[REG_RIP]);
  if (t == nullptr || t->in_runtime) {
    // Not the program's doing, or not on our watch: crash as one would without us.
    if (t) {
      static const char text[] = "jostle: internal error: crash inside the runtime\n";
      system_call(SYS_write, 2, reinterpret_cast<long>(text), sizeof text - 1);
    }
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(number, &standard, nullptr);
    return;
  }
  if (const Engine::Freed f = g_engine->looked_at(); f.block) {
    g_engine->look_at({});
    g_engine->races().invalid_free(*t, reinterpret_cast<Address>(f.block), f.pc);
  }
  if (KernelSigaction& theirs = g_program[number];
      reinterpret_cast<std::uintptr_t>(theirs.handler) > 1) {
    const KernelSigaction call = theirs;
    if (call.flags & SA_RESETHAND) theirs = {};
    g_handling = number;
    call.handler(number, info, context);
    g_handling = 0;
    return;
  }
  char message[160];
  const auto at = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (number == SIGSEGV || number == SIGBUS) {
    const Carrier& c = carrier_of(*t);
    const auto low = reinterpret_cast<std::uint64_t>(c.stack_low);
    const bool overflow = at < low && at >= low - (64u << 10);
    std::snprintf(message, sizeof message, "%s%s", signal_text(number),
                  overflow    ? ": stack overflow"
                  : at < 4096 ? ": null pointer"
                              : "");
  } else {
    std::snprintf(message, sizeof message, "%s", signal_text(number));
  }
  g_engine->fail(*t, FindingKind::crash, pc + 1, nullptr, 0, message,
                 static_cast<std::uint32_t>(number));
}

struct sigaction g_before[std::size(kCrashes)];
bool g_installed = false;

// --- progress ---------------------------------------------------------------------------------

timer_t g_timer;
bool g_timer_made = false;
std::uint64_t g_last_execution = 0;
std::uint32_t g_last_steps = 0, g_last_forced = 0;
std::uint32_t* g_progress = nullptr;
bool (*g_over)() = nullptr;
constexpr long kSeldom = 250'000'000, kOften = 10'000'000;  // nanoseconds between two looks
long g_interval = kSeldom;
// Seconds. g_alone: of the thread that runs now, without any point either.
double g_without_step = 0, g_alone = 0;

void look_every(long nanoseconds) {
  g_interval = nanoseconds;
  const itimerspec every = {{0, nanoseconds}, {0, nanoseconds}};
  system_call(SYS_timer_settime, reinterpret_cast<long>(g_timer), 0, reinterpret_cast<long>(&every),
              0);
}

void on_tick(int, siginfo_t*, void* context) {
  Engine* e = g_engine;
  if (!e || !e->running()) return;
  if (family::is_orphaned()) system_call(SYS_exit_group, 0);
  if (g_over && g_over()) e->scheduler().give_up();
  // That a thread was made to let others go on says nothing about what it does: endless output and
  // endless calls pass such points, too.
  const std::uint32_t forced = e->scheduler().forced_points();
  const std::uint32_t steps = e->scheduler().steps() - forced;
  if (e->executions() != g_last_execution || steps != g_last_steps) {
    g_last_execution = e->executions();
    g_last_steps = steps;
    g_last_forced = forced;
    g_without_step = g_alone = 0;
    if (g_progress) ++*g_progress;
    return;
  }
  if (forced != g_last_forced) g_alone = 0;
  g_last_forced = forced;
  const double passed = static_cast<double>(g_interval) * 1e-9;
  g_without_step += passed;
  g_alone += passed;
  Thread* t = t_self;
  const bool given_up = e->scheduler().given_up();
  if (t && !t->in_runtime && given_up) {
    t->in_runtime = true;
    e->scheduler().leave_given_up(*t);
  }
  if (t && !t->in_runtime && g_without_step < e->timeout()) {
    timers::no_steps_for(*t, g_without_step);
    const auto at = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    if (busy_waits::seen() && g_interval != kOften) look_every(kOften);
    busy_waits::interrupted(*t, static_cast<std::uint64_t>(at), g_alone, e->timeout());
  }
  if (!given_up && (e->timeout() <= 0 || g_without_step < e->timeout())) return;
  if (!t) {  // kernel threads: the one that runs is another
    system_call(SYS_tgkill, system_call(SYS_getpid), carrier_of(e->scheduler().running()).tid,
                kTickSignal);
    return;
  }
  if (t->in_runtime) return;  // it will step soon
  const auto* u = static_cast<ucontext_t*>(context);
  const auto pc = static_cast<std::uint64_t>(u->uc_mcontext.gregs[REG_RIP]);
  char message[160];
  std::snprintf(
      message, sizeof message,
      "no step for %g seconds (timeout): a loop without operations, or a wait that Jostle "
      "does not see",
      e->timeout());
  e->fail(*t, FindingKind::timeout, pc + 1, nullptr, 0, message);
}

}  // namespace

bool program_sigaction(int number, const KernelSigaction* set, KernelSigaction* old) {
  // SIG_DFL is 0 and SIG_IGN is 1.
  g_handles |= set && reinterpret_cast<std::uintptr_t>(set->handler) > 1;
  if (!start_carrier() ||
      std::find(std::begin(kCrashes), std::end(kCrashes), number) == std::end(kCrashes))
    return false;
  const KernelSigaction before = g_program[number];
  if (set) {
    g_program[number] = *set;
    g_program_has_some = true;
  }
  if (old) *old = before;
  return true;
}

void forget_program_handlers() {
  if (g_program_has_some)
    for (KernelSigaction& k : g_program) k = {};
  g_program_has_some = g_handles = false;
  g_handling = 0;
}

bool program_handles_signals() { return g_handles; }

int crash_being_handled() { return g_handling; }

void remove_crash_handlers() {
  if (!g_installed) return;
  for (std::size_t i = 0; i < std::size(kCrashes); ++i)
    sigaction(kCrashes[i], &g_before[i], nullptr);
  g_installed = false;
}

void* install_alternate_stack() {
  stack_t ss = {};
  ss.ss_size = 64 << 10;
  ss.ss_sp = map_pages(ss.ss_size);
  sigaltstack(&ss, nullptr);
  return ss.ss_sp;
}

void install_crash_handlers() {
  static void* const alternate = install_alternate_stack();
  (void)alternate;
  struct sigaction sa = {};
  sa.sa_sigaction = &on_crash;
  sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < std::size(kCrashes); ++i)
    sigaction(kCrashes[i], &sa, g_installed ? nullptr : &g_before[i]);
  g_installed = true;

  struct sigaction tick = {};
  tick.sa_sigaction = &on_tick;
  tick.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  sigaction(kTickSignal, &tick, nullptr);
}

void show_progress_in(std::uint32_t* counter) { g_progress = counter; }
void give_up_when(bool (*over)()) { g_over = over; }

void watch_start() {
  sigevent ev = {};
  ev.sigev_notify = SIGEV_THREAD_ID;
  ev.sigev_signo = kTickSignal;
  ev._sigev_un._tid = static_cast<int>(system_call(SYS_gettid));
  g_without_step = g_alone = 0;
  if (timer_create(CLOCK_MONOTONIC, &ev, &g_timer) != 0) return;
  g_timer_made = true;
  look_every(busy_waits::seen() ? kOften : kSeldom);
}

void watch_stop() {
  if (g_timer_made) timer_delete(g_timer);
  g_timer_made = false;
}

}  // namespace jostle
