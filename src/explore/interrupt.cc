#include "explore/interrupt.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>

#include "runtime/system_call.h"
#include "runtime/trap.h"

namespace jostle::explore {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kPatience = 1;         // seconds for an execution to end
constexpr int kPatienceTelling = 5;  // for findings to be written
constexpr double kEcho = 0.3;        // `timeout`, `make` and terminals like to say it twice

Interruption* g_shared = nullptr;
long g_process = 0;
bool g_helper = false;
pid_t g_takes_along = -1;
bool g_handled[std::size(kSignals)];
char g_name[120];
double g_first = 0;
int g_timer = -1;  // the kernel's number

// The handler may run in the middle of a controlled thread: only system calls of our own.

double now() {
  timespec ts = {};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&ts));
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
}

// Takes effect when the handler returns: until then the signal is blocked.
void die_of(int number) {
  const KernelSigaction standard = {};
  system_call(SYS_rt_sigaction, number, reinterpret_cast<long>(&standard), 0, 8);
  system_call(SYS_kill, system_call(SYS_getpid), number);
}

void start_timer(int number) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = number;
  if (system_call(SYS_timer_create, CLOCK_MONOTONIC, reinterpret_cast<long>(&event),
                  reinterpret_cast<long>(&g_timer)) != 0)
    return;
  const itimerspec every = {{kPatience, 0}, {kPatience, 0}};
  system_call(SYS_timer_settime, g_timer, 0, reinterpret_cast<long>(&every), 0);
}

void on_interrupt(int number, siginfo_t* info, void*) {
  const long me = system_call(SYS_getpid);
  const bool timer = info->si_code == SI_TIMER;
  // The program sent it to itself, or to a child of its own: as if we were not there.
  if (me != g_process || (!timer && info->si_pid == me)) {
    die_of(number);
    return;
  }
  if (g_helper) return;
  if (g_shared->signal == 0) {
    g_first = now();
    g_shared->signal = number;
    start_timer(number);
    return;
  }
  const double since = now() - g_first;
  if (timer ? g_shared->telling && since < kPatienceTelling : since < kEcho) return;
  char text[240];
  const int n = std::snprintf(text, sizeof text,
                              "jostle: %s%sinterrupted %s; what was not told yet is lost\n", g_name,
                              *g_name ? ": " : "",
                              g_shared->telling ? "while a finding was being confirmed"
                                                : "in an execution that does not end");
  system_call(SYS_write, 2, reinterpret_cast<long>(text), n);
  if (g_takes_along > 0) system_call(SYS_kill, g_takes_along, SIGKILL);
  die_of(number);
}

}  // namespace

Interrupts::Interrupts(const std::string& name, Interruption& shared) {
  shared.signal = 0;
  shared.telling = false;
  g_shared = &shared;
  g_process = getpid();
  std::snprintf(g_name, sizeof g_name, "%s", name.c_str());
  struct sigaction ours = {};
  ours.sa_sigaction = &on_interrupt;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int s : kSignals) sigaddset(&ours.sa_mask, s);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction before = {};
    sigaction(kSignals[i], nullptr, &before);
    g_handled[i] = !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL;
    if (g_handled[i]) sigaction(kSignals[i], &ours, nullptr);
  }
}

Interrupts::~Interrupts() {
  if (g_timer >= 0) system_call(SYS_timer_delete, g_timer);
  g_timer = -1;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction now = {};
    sigaction(kSignals[i], nullptr, &now);
    // The body may have put one of its own there.
    if (g_handled[i] && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &on_interrupt)
      std::signal(kSignals[i], SIG_DFL);
    g_handled[i] = false;
  }
}

bool interrupt_handled(int signal) {
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    if (kSignals[i] == signal) return g_handled[i];
  return false;
}

pid_t fork_without_interrupts() {
  sigset_t ours, before;
  sigemptyset(&ours);
  for (const int s : kSignals) sigaddset(&ours, s);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  const pid_t p = fork();
  if (p == 0) {
    g_helper = true;
    g_process = getpid();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return p;
}

void interrupt_takes_along(pid_t helper) { g_takes_along = helper; }

}  // namespace jostle::explore
