#include "runtime/system_model.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "runtime/engine.h"
#include "runtime/randomness.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"
#include "runtime/trap.h"
#include "sched/model/model.h"

namespace jostle {
namespace {

// The civil clock shows this much more than the monotonic one: a date in 2023, always the same.
constexpr std::uint64_t kCivil = 1'700'000'000ull * 1'000'000'000ull;

std::uint64_t nanoseconds(const timespec& ts) {
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000ull +
         static_cast<std::uint64_t>(ts.tv_nsec);
}

long model_futex(Thread& t, const SystemCall& c) {
  Scheduler& s = *t.scheduler;
  const auto address = static_cast<Address>(c.a[0]);
  const int op = static_cast<int>(c.a[1]) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const bool civil = (c.a[1] & FUTEX_CLOCK_REALTIME) != 0;
  const auto value = static_cast<std::uint32_t>(c.a[2]);
  const auto* ts = reinterpret_cast<const timespec*>(c.a[3]);
  switch (op) {
    case FUTEX_WAIT: {
      const std::uint64_t deadline = ts ? s.now() + nanoseconds(*ts) + 1 : 0;
      return model::futex_wait(s, t, address, value, ~0u, deadline, c.pc);
    }
    case FUTEX_WAIT_BITSET: {
      if (static_cast<std::uint32_t>(c.a[5]) == 0) return -EINVAL;
      std::uint64_t deadline = 0;
      if (ts)
        deadline = virtual_deadline(civil ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                    static_cast<std::uint64_t>(ts->tv_sec),
                                    static_cast<std::uint64_t>(ts->tv_nsec));
      return model::futex_wait(s, t, address, value, static_cast<std::uint32_t>(c.a[5]), deadline,
                               c.pc);
    }
    case FUTEX_WAKE:
      return model::futex_wake(s, t, address, value, ~0u, c.pc);
    case FUTEX_WAKE_BITSET:
      if (static_cast<std::uint32_t>(c.a[5]) == 0) return -EINVAL;
      return model::futex_wake(s, t, address, value, static_cast<std::uint32_t>(c.a[5]), c.pc);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      if (op == FUTEX_CMP_REQUEUE &&
          *reinterpret_cast<std::uint32_t*>(address) != static_cast<std::uint32_t>(c.a[5]))
        return -EAGAIN;
      return model::futex_requeue(s, t, address, static_cast<Address>(c.a[4]), value,
                                  static_cast<std::uint32_t>(c.a[3]), c.pc);
    case FUTEX_WAKE_OP: {
      auto* second = reinterpret_cast<std::uint32_t*>(c.a[4]);
      const auto code = static_cast<std::uint32_t>(c.a[5]);
      const std::uint32_t kind = code >> 28 & 7, compare = code >> 24 & 15;
      std::uint32_t arg = code >> 12 & 0xfff;
      const std::uint32_t against = code & 0xfff;
      if (code >> 28 & 8) arg = 1u << (arg & 31);
      const std::uint32_t old = *second;
      switch (kind) {
        case 0:
          *second = arg;
          break;
        case 1:
          *second = old + arg;
          break;
        case 2:
          *second = old | arg;
          break;
        case 3:
          *second = old & ~arg;
          break;
        case 4:
          *second = old ^ arg;
          break;
        default:
          return -ENOSYS;
      }
      long n = model::futex_wake(s, t, address, value, ~0u, c.pc);
      bool also = false;
      const auto a = static_cast<std::int32_t>(old), b = static_cast<std::int32_t>(against);
      switch (compare) {
        case 0:
          also = a == b;
          break;
        case 1:
          also = a != b;
          break;
        case 2:
          also = a < b;
          break;
        case 3:
          also = a <= b;
          break;
        case 4:
          also = a > b;
          break;
        case 5:
          also = a >= b;
          break;
        default:
          return -ENOSYS;
      }
      if (also)
        n += model::futex_wake(s, t, static_cast<Address>(c.a[4]),
                               static_cast<std::uint32_t>(c.a[3]), ~0u, c.pc);
      return n;
    }
    default:
      engine().uncontrolled("futex operation without a model", c.pc);
      return -ENOSYS;
  }
}

bool ready(int fd, short events) {
  pollfd p{fd, events, 0};
  return system_call(SYS_poll, reinterpret_cast<long>(&p), 1, 0) != 0;
}

stack_t g_program_stack = {nullptr, SS_DISABLE, 0};

// Turns of threads that wait for descriptors, one after the other with nothing between them.
struct {
  std::uint32_t turns, steps;  // `steps` of the scheduler when the last turn was over
  std::uint64_t since;         // when only the outside world could help; 0: not now
} g_idle;

// One turn of a thread that waits for a descriptor; false if nobody else could go on.
bool let_others(Thread& t, std::uint64_t pc) {
  Scheduler& s = *t.scheduler;
  const std::uint32_t before = s.outcome().switches;
  if (s.steps() == g_idle.steps)
    ++g_idle.turns;
  else
    g_idle = {};
  s.announce(t, EventKind::io_wait, 0, pc);
  t.yields = ~0u;  // no patience here: it cannot go on
  s.yield(t);
  s.point(t);
  s.noted(t);
  g_idle.steps = s.steps();
  return s.outcome().switches != before && g_idle.turns <= 2 * s.live();
}

// Nobody can go on: really waits a moment, but not for ever.
// `known`: the report says already why.
void wait_outside(Thread& t, const char* what, std::uint64_t pc, pollfd* descriptor = nullptr,
                  bool known = false) {
  constexpr int kMilliseconds = 10;
  if (!known) engine().uncontrolled(what, pc);
  timespec ts{};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&ts));
  if (g_idle.since == 0) g_idle.since = nanoseconds(ts);
  const double limit = engine().timeout();
  if (limit > 0 && static_cast<double>(nanoseconds(ts) - g_idle.since) > limit * 1e9) {
    g_idle = {};
    char message[120];
    std::snprintf(message, sizeof message, "nothing happened for %g seconds: %s", limit, what);
    engine().fail(t, FindingKind::timeout, pc, nullptr, 0, message);
  }
  if (system_call(SYS_poll, reinterpret_cast<long>(descriptor), descriptor ? 1 : 0, kMilliseconds) >
      0)
    g_idle = {};
}

// Waits until the descriptor is ready, letting other threads run meanwhile. When nobody else can
// run, only the outside world can help: then it really waits, in short turns.
void wait_for_descriptor(Thread& t, int fd, short events, std::uint64_t pc) {
  while (!ready(fd, events)) {
    if (let_others(t, pc)) continue;
    pollfd p{fd, events, 0};
    wait_outside(t, "wait for input or output from outside", pc, &p);
  }
}

// Calls that wait for any of several descriptors, with their timeout in argument `which`. They are
// asked without waiting until there is something, or until virtual time is up.
enum class Timeout { milliseconds, timespec, timeval };

long poll_like(Thread& t, const SystemCall& c, int which, Timeout form) {
  Scheduler& s = *t.scheduler;
  const long given = c.a[which];
  static const struct timespec kNoTime = {0, 0};
  static const struct timeval kNoTimeval = {0, 0};
  bool forever = false;
  std::uint64_t wait = 0;
  SystemCall probe = c;
  switch (form) {
    case Timeout::milliseconds:
      forever = static_cast<int>(given) < 0;
      wait = static_cast<std::uint64_t>(given) * 1'000'000;
      probe.a[which] = 0;
      break;
    case Timeout::timespec:
      forever = given == 0;
      if (!forever) wait = nanoseconds(*reinterpret_cast<const struct timespec*>(given));
      probe.a[which] = reinterpret_cast<long>(&kNoTime);
      break;
    case Timeout::timeval:
      forever = given == 0;
      if (!forever) {
        const auto& tv = *reinterpret_cast<const struct timeval*>(given);
        wait = static_cast<std::uint64_t>(tv.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(tv.tv_usec) * 1000;
      }
      probe.a[which] = reinterpret_cast<long>(&kNoTimeval);
      break;
  }
  // select() overwrites its sets: each attempt needs the original ones.
  const bool sets = c.number == SYS_select || c.number == SYS_pselect6;
  fd_set saved[3];
  if (sets)
    for (int i = 0; i < 3; ++i)
      if (c.a[1 + i]) saved[i] = *reinterpret_cast<const fd_set*>(c.a[1 + i]);
  const std::uint64_t end = s.now() + wait;
  for (;;) {
    if (sets)
      for (int i = 0; i < 3; ++i)
        if (c.a[1 + i]) *reinterpret_cast<fd_set*>(c.a[1 + i]) = saved[i];
    const long n = pass_system_call(probe);
    if (n != 0 || (!forever && s.now() >= end)) return n;
    if (!forever) {
      model::sleep(s, t, s.now() + (end - s.now() + 7) / 8, c.pc);
      continue;
    }
    if (!let_others(t, c.pc)) wait_outside(t, "wait for input or output from outside", c.pc);
  }
}

// --- writing ------------------------------------------------------------------------------------

bool never_waits(const SystemCall& c) {
  switch (c.number) {
    case SYS_recvfrom:
    case SYS_sendto:
    case SYS_recvmmsg:
    case SYS_sendmmsg:
      if (c.a[3] & MSG_DONTWAIT) return true;
      break;
    case SYS_recvmsg:
    case SYS_sendmsg:
      if (c.a[2] & MSG_DONTWAIT) return true;
      break;
    default:
      break;
  }
  return (system_call(SYS_fcntl, c.a[0], F_GETFL) & O_NONBLOCK) != 0;
}

// The call on a descriptor that for this moment does not wait: nobody else runs meanwhile.
long attempt(const SystemCall& c, long flags) {
  system_call(SYS_fcntl, c.a[0], F_SETFL, flags | O_NONBLOCK);
  const long r = pass_system_call(c);
  system_call(SYS_fcntl, c.a[0], F_SETFL, flags);
  return r;
}

bool is_stream(long fd) {
  struct stat st;
  if (system_call(SYS_fstat, fd, reinterpret_cast<long>(&st)) != 0) return false;
  return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
}

// A pipe or socket takes what fits, and the rest when somebody has read.
long write_all(Thread& t, const SystemCall& c) {
  const long fd = c.a[0], flags = system_call(SYS_fcntl, fd, F_GETFL);
  long done = 0;
  SystemCall rest = c;
  for (;;) {
    const long r = attempt(rest, flags);
    if (r == -EAGAIN) {
      wait_for_descriptor(t, static_cast<int>(fd), POLLOUT, c.pc);
      continue;
    }
    if (r < 0) return done > 0 ? done : r;
    done += r;
    if (done >= c.a[2] || r == 0) return done;
    rest.a[1] = c.a[1] + done;
    rest.a[2] = c.a[2] - done;
  }
}

long model_write(Thread& t, const SystemCall& c) {
  const int fd = static_cast<int>(c.a[0]);
  // Files and standard output are always ready; so are most others.
  const bool large = (c.number == SYS_write || c.number == SYS_sendto) && c.a[2] > 4096;
  if (!large && ready(fd, POLLOUT)) return pass_system_call(c);
  if (!is_stream(fd) || never_waits(c)) return pass_system_call(c);
  if (large) return write_all(t, c);
  const long flags = system_call(SYS_fcntl, fd, F_GETFL);
  for (;;) {
    wait_for_descriptor(t, fd, POLLOUT, c.pc);
    if (const long r = attempt(c, flags); r != -EAGAIN) return r;
  }
}

// --- signals ------------------------------------------------------------------------------------

// sigwait() and its relatives: asked without waiting until one is there, or until time is up.
long wait_for_signal(Thread& t, const SystemCall& c) {
  Scheduler& s = *t.scheduler;
  static const struct timespec kNoTime = {0, 0};
  const auto* limit = reinterpret_cast<const struct timespec*>(c.a[2]);
  const std::uint64_t end = limit ? s.now() + nanoseconds(*limit) : 0;
  SystemCall probe = c;
  probe.a[2] = reinterpret_cast<long>(&kNoTime);
  for (;;) {
    const long r = pass_system_call(probe);
    if (r != -EAGAIN || (limit && s.now() >= end)) return r;
    if (limit) {
      model::sleep(s, t, s.now() + (end - s.now() + 7) / 8, c.pc);
    } else if (!let_others(t, c.pc)) {
      wait_outside(t, "wait for a signal from outside", c.pc);
    }
  }
}

// sigsuspend() and pause(): handlers run inside a call that takes no time. Our own signal must not
// end it.
long suspend(Thread& t, std::uint64_t mask, std::uint64_t pc) {
  mask |= 1ull << (kTickSignal - 1);
  for (;;) {
    struct timespec no_time = {0, 0};
    const long r = system_call(SYS_ppoll, 0, 0, reinterpret_cast<long>(&no_time),
                               reinterpret_cast<long>(&mask), 8);
    if (r == -EINTR) return r;
    if (!let_others(t, pc)) wait_outside(t, "wait for a signal from outside", pc);
  }
}

// The process goes on being ours: a child becomes the new program, and its end is the end of the
// execution.
long replace_program(Thread& t, const SystemCall& c) {
  engine().uncontrolled("exec: the program that takes over runs without control", c.pc);
  int report[2];
  if (const long r = system_call(SYS_pipe2, reinterpret_cast<long>(report), O_CLOEXEC); r < 0)
    return r;
  const long child = system_call(SYS_fork);
  if (child == 0) {
    system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    const long failed = system_call(c.number, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4]);
    system_call(SYS_write, report[1], reinterpret_cast<long>(&failed), sizeof failed);
    system_call(SYS_exit_group, 127);
  }
  system_call(SYS_close, report[1]);
  long failed = 0;
  const bool did = system_call(SYS_read, report[0], reinterpret_cast<long>(&failed),
                               sizeof failed) != sizeof failed;
  system_call(SYS_close, report[0]);
  int status = 0;
  system_call(SYS_wait4, child, reinterpret_cast<long>(&status));
  if (!did) return child < 0 ? child : failed;
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

// /dev/random and /dev/urandom. `g_random_opened` saves the question where neither ever was: a
// descriptor's number says nothing, it may have been closed and given to something else.
bool g_random_opened = false;
bool is_random_path(long path) {
  const char* p = reinterpret_cast<const char*>(path);
  return std::strcmp(p, "/dev/urandom") == 0 || std::strcmp(p, "/dev/random") == 0;
}
bool reads_random(long fd) {
  struct stat st;
  return g_random_opened && system_call(SYS_fstat, fd, reinterpret_cast<long>(&st)) == 0 &&
         S_ISCHR(st.st_mode) && (st.st_rdev == makedev(1, 8) || st.st_rdev == makedev(1, 9));
}

// sigaltstack() of a whole program: ours stays, because faults at protected pages are handled on
// it. It is large enough for the program's handlers, too.
long alternate_stack(const SystemCall& c) {
  const auto* set = reinterpret_cast<const stack_t*>(c.a[0]);
  const stack_t before = g_program_stack;
  if (set) {
    if (!(set->ss_flags & SS_DISABLE) && set->ss_size < static_cast<std::size_t>(MINSIGSTKSZ))
      return -ENOMEM;
    g_program_stack = *set;
    if (set->ss_flags & SS_DISABLE) g_program_stack = {nullptr, SS_DISABLE, 0};
  }
  if (c.a[1] != 0) *reinterpret_cast<stack_t*>(c.a[1]) = before;
  return 0;
}

// Others go on while a child process has not ended.
long wait_for_child(Thread& t, const SystemCall& c) {
  const int which = c.number == SYS_wait4 ? 2 : 3;
  SystemCall probe = c;
  probe.a[which] |= WNOHANG;
  int quick = 0;
  for (;;) {
    const long r = pass_system_call(probe);
    // waitid() gives 0 in both cases, and a process number if there is one.
    const bool none = c.number == SYS_wait4
                          ? r == 0
                          : r == 0 && c.a[2] && reinterpret_cast<siginfo_t*>(c.a[2])->si_pid == 0;
    if (!none || (c.a[which] & WNOHANG)) {
      g_idle = {};
      return r;
    }
    if (let_others(t, c.pc)) continue;
    static const struct timespec kShort = {0, 500'000};
    // Children are often quick.
    if (++quick < 20)
      system_call(SYS_nanosleep, reinterpret_cast<long>(&kShort));
    else
      wait_outside(t, "wait for the end of a child process", c.pc, nullptr, true);
  }
}

}  // namespace

void forget_system_state() {
  g_program_stack = {nullptr, SS_DISABLE, 0};
  g_idle = {};
}

std::uint64_t clock_value(int clock, std::uint64_t virtual_now) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI
             ? virtual_now + kCivil
             : virtual_now;
}

std::uint64_t virtual_deadline(int clock, std::uint64_t seconds, std::uint64_t nanos) {
  // A point too far away to express is never.
  if (seconds > 9'000'000'000ull) return ~0ull >> 1;
  const std::uint64_t at = seconds * 1'000'000'000ull + nanos;
  const std::uint64_t offset = clock_value(clock, 0);
  return at > offset ? at - offset : 1;
}

long pass_system_call(const SystemCall& c) {
  auto call = [&] { return system_call(c.number, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5]); };
  snapshot::open_buffers(c);
  long r = call();
  // Pages are protected until they are written, and the kernel does not fault like a program.
  for (const unsigned pages : {1u, 16u, 256u})
    if (r == -EFAULT && snapshot::open_for(c, pages)) r = call();
  snapshot::performed(c, r);
  if ((c.number == SYS_write || c.number == SYS_writev) && (c.a[0] == 1 || c.a[0] == 2) && r > 0)
    g_engine->print(static_cast<int>(c.a[0]), static_cast<std::uint64_t>(r));
  return r;
}

long model_system_call(Thread& t, const SystemCall& c) {
  Scheduler& s = *t.scheduler;
  switch (c.number) {
    case SYS_futex:
      return model_futex(t, c);
    case SYS_sched_yield:
      model::yield(s, t, c.pc);
      return 0;
    case SYS_nanosleep:
      model::sleep(s, t, s.now() + nanoseconds(*reinterpret_cast<const timespec*>(c.a[0])), c.pc);
      return 0;
    case SYS_clock_nanosleep: {
      const auto& ts = *reinterpret_cast<const timespec*>(c.a[2]);
      const std::uint64_t until =
          c.a[1] & TIMER_ABSTIME
              ? virtual_deadline(static_cast<int>(c.a[0]), static_cast<std::uint64_t>(ts.tv_sec),
                                 static_cast<std::uint64_t>(ts.tv_nsec))
              : s.now() + nanoseconds(ts);
      model::sleep(s, t, until, c.pc);
      return 0;
    }
    case SYS_openat: {
      const long fd = pass_system_call(c);
      g_random_opened |= fd >= 0 && is_random_path(c.a[1]);
      return fd;
    }
    case SYS_read:
      if (c.a[2] > 0 && reads_random(c.a[0])) {
        fill_randomly(reinterpret_cast<void*>(c.a[1]), static_cast<std::size_t>(c.a[2]));
        return c.a[2];
      }
      [[fallthrough]];
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_accept:
    case SYS_accept4:
      if (!never_waits(c)) wait_for_descriptor(t, static_cast<int>(c.a[0]), POLLIN, c.pc);
      return pass_system_call(c);
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
      return model_write(t, c);
    case SYS_rt_sigtimedwait:
      return wait_for_signal(t, c);
    case SYS_rt_sigsuspend:
      return suspend(t, *reinterpret_cast<const std::uint64_t*>(c.a[0]), c.pc);
    case SYS_gettid:
      // The thread that runs main() has the number of the process, whichever that is.
      if (&carrier_of(t) == start_carrier()) return system_call(SYS_gettid);
      return carrier_of(t).tid;
    case SYS_rt_sigaction:
      if (program_sigaction(static_cast<int>(c.a[0]),
                            reinterpret_cast<const KernelSigaction*>(c.a[1]),
                            reinterpret_cast<KernelSigaction*>(c.a[2])))
        return 0;
      if (c.a[1] != 0) {
        KernelSigaction cleaned = *reinterpret_cast<const KernelSigaction*>(c.a[1]);
        cleaned.mask &= ~kNeverBlocked;
        SystemCall call = c;
        call.a[1] = reinterpret_cast<long>(&cleaned);
        return pass_system_call(call);
      }
      return pass_system_call(c);
    case SYS_sigaltstack:
      return start_carrier() ? alternate_stack(c) : pass_system_call(c);
    case SYS_getrandom:
      if (c.a[1] > 0 && c.a[0] != 0)
        fill_randomly(reinterpret_cast<void*>(c.a[0]), static_cast<std::size_t>(c.a[1]));
      return c.a[1];
    case SYS_pause: {
      std::uint64_t mask = 0;
      system_call(SYS_rt_sigprocmask, SIG_SETMASK, 0, reinterpret_cast<long>(&mask), 8);
      return suspend(t, mask, c.pc);
    }
    case SYS_execve:
    case SYS_execveat:
      return replace_program(t, c);
    case SYS_wait4:
    case SYS_waitid:
      return wait_for_child(t, c);
    case SYS_exit_group:
      engine().exited(t, static_cast<int>(c.a[0]) & 0xff, c.pc);
    case SYS_kill:
      // To this process: any of its threads might get it; make it the one that runs.
      if (c.a[0] == system_call(SYS_getpid)) {
        return system_call(SYS_tgkill, c.a[0], system_call(SYS_gettid), c.a[1]);
      }
      return pass_system_call(c);
    case SYS_tgkill: {
      SystemCall real = c;
      real.a[1] = engine().kernel_thread_of(static_cast<int>(c.a[1]));
      return pass_system_call(real);
    }
    case SYS_tkill: {
      SystemCall real = c;
      real.a[0] = engine().kernel_thread_of(static_cast<int>(c.a[0]));
      return pass_system_call(real);
    }
    case SYS_poll:
      return poll_like(t, c, 2, Timeout::milliseconds);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return poll_like(t, c, 3, Timeout::milliseconds);
    case SYS_ppoll:
      return poll_like(t, c, 2, Timeout::timespec);
    case SYS_pselect6:
      return poll_like(t, c, 4, Timeout::timespec);
    case SYS_select:
      return poll_like(t, c, 4, Timeout::timeval);
    default:
      return pass_system_call(c);
  }
}

}  // namespace jostle
