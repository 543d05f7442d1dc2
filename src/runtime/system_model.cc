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

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "runtime/busy_waits.h"
#include "runtime/descriptors.h"
#include "runtime/engine.h"
#include "runtime/exec.h"
#include "runtime/family.h"
#include "runtime/kernel_waits.h"
#include "runtime/left_files.h"
#include "runtime/outside.h"
#include "runtime/own_descriptors.h"
#include "runtime/randomness.h"
#include "runtime/signal_model.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"
#include "runtime/thread_names.h"
#include "runtime/timers.h"
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

bool valid(const timespec& ts) {
  return ts.tv_sec >= 0 && ts.tv_nsec >= 0 && ts.tv_nsec < 1'000'000'000;
}

long sleep_for(Thread& t, const timespec& ts, timespec* left, std::uint64_t pc) {
  if (!valid(ts)) return -EINVAL;
  return -sleep_until(t, t.scheduler->now(t) + nanoseconds(ts), left, pc);
}

// Where no memory can be.
bool is_nowhere(Address a) { return a < 65536 || a >= 1ull << 47; }

// What the kernel says of a futex that cannot be one, without waiting there. Does it read the word?
long look_at_futex(Address a, long op, bool reads) {
  if ((a & 3) != 0) return -EINVAL;
  if (JOSTLE_LIKELY(!is_nowhere(a))) return 0;
  const struct timespec no_time = {0, 0};
  const long as = (reads ? FUTEX_WAIT : FUTEX_WAKE) | (op & FUTEX_PRIVATE_FLAG);
  const long r =
      system_call(SYS_futex, static_cast<long>(a), as, 0, reinterpret_cast<long>(&no_time));
  return r == -EFAULT ? r : 0;
}

long model_futex(Thread& t, const SystemCall& c) {
  Scheduler& s = *t.scheduler;
  const auto address = static_cast<Address>(c.a[0]);
  const int op = static_cast<int>(c.a[1]) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const bool civil = (c.a[1] & FUTEX_CLOCK_REALTIME) != 0;
  const auto value = static_cast<std::uint32_t>(c.a[2]);
  const auto* ts = reinterpret_cast<const timespec*>(c.a[3]);
  const bool waits = op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET;
  if (civil && op == FUTEX_WAIT) return -ENOSYS;
  if (waits && ts) {
    if (is_nowhere(static_cast<Address>(c.a[3]))) return -EFAULT;
    if (!valid(*ts)) return -EINVAL;
  }
  if (const long r = look_at_futex(address, c.a[1], waits || op == FUTEX_CMP_REQUEUE); r != 0)
    return r;
  if (op == FUTEX_REQUEUE || op == FUTEX_CMP_REQUEUE || op == FUTEX_WAKE_OP)
    if (const long r = look_at_futex(static_cast<Address>(c.a[4]), c.a[1], op == FUTEX_WAKE_OP);
        r != 0)
      return r;
  switch (op) {
    case FUTEX_WAIT: {
      const std::uint64_t deadline = ts ? s.now(t) + nanoseconds(*ts) + 1 : 0;
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
    case FUTEX_CMP_REQUEUE: {
      const auto expected = static_cast<std::uint32_t>(c.a[5]);
      return model::futex_requeue(s, t, address, static_cast<Address>(c.a[4]), value,
                                  static_cast<std::uint32_t>(c.a[3]),
                                  op == FUTEX_CMP_REQUEUE ? &expected : nullptr, c.pc);
    }
    case FUTEX_WAKE_OP:
      return model::futex_wake_op(s, t, address, value, static_cast<Address>(c.a[4]),
                                  static_cast<std::uint32_t>(c.a[3]),
                                  static_cast<std::uint32_t>(c.a[5]), c.pc);
    default:
      engine().uncontrolled("futex operation without a model", c.pc);
      return -ENOSYS;
  }
}

bool ready(int fd, short events) {
  pollfd p{fd, events, 0};
  return system_call(SYS_poll, reinterpret_cast<long>(&p), 1, 0) != 0;
}

ThreadId g_user = kNoThread;  // of descriptors, last
stack_t g_program_stack = {nullptr, SS_DISABLE, 0};

constexpr const char* kDescriptors = "wait for input or output from outside";
bool leads_inside(const outside::Wait& w) {
  for (unsigned i = 0; i < w.count; ++i)
    if (w.descriptors[i].fd >= 0 && !descriptors::leads_inside(w.descriptors[i].fd)) return false;
  return w.count > 0;
}

constexpr const char* kSignals = "wait for a signal from outside";

// What a call that waits returns when a handler was called meanwhile; 0: it goes on.
long after_handlers(const Thread& t) { return t.handled && !t.restarts ? -EINTR : 0; }

// Until the descriptor is ready. 0, or a negative errno.
long wait_for_descriptor(Thread& t, int fd, short events, std::uint64_t pc) {
  while (!ready(fd, events)) {
    pollfd p{fd, events, 0};
    outside::Wait w{
        .what = kDescriptors,
        .ready =
            [](const outside::Wait& o) { return ready(o.descriptors->fd, o.descriptors->events); },
        .descriptors = &p,
        .count = 1,
        .closed = &leads_inside};
    outside::wait(t, w, pc);
    if (const long r = after_handlers(t); r != 0) return r;
  }
  return 0;
}

// Calls that wait for any of several descriptors, with their timeout in argument `which` and, in
// the argument after it, the mask of signals that is in force meanwhile. They are asked without
// waiting until there is something, or until virtual time is up.
enum class Timeout { milliseconds, timespec, timeval };

struct Polled {
  const SystemCall& call;
  const Thread& thread;
  const std::uint64_t* mask;  // null: the thread's own
  fd_set sets[3];             // select() overwrites its own
};

// The program's own memory is not written: it may belong to a frame that is still needed.
bool is_ready(const outside::Wait& w) {
  const auto& p = *static_cast<const Polled*>(w.of);
  if (p.mask && (pending_signals(p.thread) & ~*p.mask) != 0) return true;
  switch (p.call.number) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return ready(static_cast<int>(p.call.a[0]), POLLIN);
    case SYS_poll:
    case SYS_ppoll: {
      const auto* at = reinterpret_cast<const pollfd*>(p.call.a[0]);
      for (long i = 0; i < p.call.a[1]; ++i)
        if (at[i].fd >= 0 && ready(at[i].fd, at[i].events)) return true;
      return false;
    }
    default: {
      fd_set sets[3];
      long at[3];
      for (int i = 0; i < 3; ++i) {
        sets[i] = p.sets[i];
        at[i] = p.call.a[1 + i] ? reinterpret_cast<long>(&sets[i]) : 0;
      }
      struct timeval no_time = {0, 0};
      return system_call(SYS_select, p.call.a[0], at[0], at[1], at[2],
                         reinterpret_cast<long>(&no_time)) != 0;
    }
  }
}

// What select() watches, as poll() takes it. 0: more than there is room for.
constexpr unsigned kSelected = 32;
unsigned selected_by(const Polled& p, pollfd (&out)[kSelected]) {
  unsigned n = 0;
  for (int fd = 0; fd < p.call.a[0] && fd < FD_SETSIZE; ++fd) {
    short events = 0;
    if (p.call.a[1] && FD_ISSET(fd, &p.sets[0])) events |= POLLIN;
    if (p.call.a[2] && FD_ISSET(fd, &p.sets[1])) events |= POLLOUT;
    if (p.call.a[3] && FD_ISSET(fd, &p.sets[2])) events |= POLLPRI;
    if (events == 0) continue;
    if (n == kSelected) return 0;
    out[n++] = {fd, events, 0};
  }
  return n;
}

// A way to sleep.
bool watches_nothing(const SystemCall& c) {
  if (c.number == SYS_poll || c.number == SYS_ppoll) return c.a[1] == 0;
  if (c.number == SYS_select || c.number == SYS_pselect6) return !c.a[1] && !c.a[2] && !c.a[3];
  return false;
}

const std::uint64_t* mask_meanwhile(const SystemCall& c) {
  switch (c.number) {
    case SYS_ppoll:
      return reinterpret_cast<const std::uint64_t*>(c.a[3]);
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return reinterpret_cast<const std::uint64_t*>(c.a[4]);
    case SYS_pselect6:
      return c.a[5] ? *reinterpret_cast<const std::uint64_t* const*>(c.a[5]) : nullptr;
    default:
      return nullptr;
  }
}

// While a thread waits, others hold these signals back for it.
class Awaits {
 public:
  Awaits(Thread& t, std::uint64_t set) : carrier_(carrier_of(t)) { carrier_.awaited = set; }
  Awaits(const Awaits&) = delete;
  Awaits& operator=(const Awaits&) = delete;
  ~Awaits() { carrier_.awaited = 0; }

 private:
  Carrier& carrier_;
};

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
  Polled polled{c, t, mask_meanwhile(c), {}};
  if (!forever && !polled.mask && watches_nothing(c)) {
    return -model::sleep(s, t, s.now(t) + wait, c.pc);
  }
  // select() overwrites its sets: each attempt needs the original ones.
  const bool sets = c.number == SYS_select || c.number == SYS_pselect6;
  if (sets)
    for (int i = 0; i < 3; ++i)
      if (c.a[1 + i]) polled.sets[i] = *reinterpret_cast<const fd_set*>(c.a[1 + i]);
  pollfd selected[kSelected];
  const Awaits held(t, polled.mask ? ~*polled.mask : 0);
  const std::uint64_t end = s.now(t) + wait;
  for (;;) {
    if (polled.mask && handle_pending(t, *polled.mask)) return -EINTR;
    if (sets)
      for (int i = 0; i < 3; ++i)
        if (c.a[1 + i]) *reinterpret_cast<fd_set*>(c.a[1 + i]) = polled.sets[i];
    const long n = pass_system_call(probe);
    if (n != 0 || (!forever && s.now(t) >= end)) return n;
    pollfd p{static_cast<int>(c.a[0]), POLLIN, 0};
    outside::Wait w{
        .what = kDescriptors, .ready = &is_ready, .of = &polled, .closed = &leads_inside};
    if (polled.mask) w.closed = nullptr;  // a signal may come, too
    if (c.number == SYS_epoll_wait || c.number == SYS_epoll_pwait || c.number == SYS_epoll_pwait2) {
      w.descriptors = &p;
      w.count = 1;
    } else if (c.number == SYS_poll || c.number == SYS_ppoll) {
      w.descriptors = reinterpret_cast<pollfd*>(c.a[0]);
      w.count = static_cast<unsigned>(c.a[1]);
    } else {
      w.descriptors = selected;
      w.count = selected_by(polled, selected);
    }
    // Virtual time that passes at once would leave the world outside none.
    const std::uint64_t left = end - s.now(t);
    const std::uint64_t next = outside::is_open(w) ? (left + 7) / 8 : left;
    outside::wait(t, w, c.pc, forever ? 0 : s.now(t) + next);
    if (t.handled) return -EINTR;  // whatever the handler's flags say
  }
}

long read_now(const SystemCall& c) {
  const long r = pass_system_call(c);
  if (c.number == SYS_read && r == sizeof(std::uint64_t))
    timers::was_read(static_cast<int>(c.a[0]), *reinterpret_cast<std::uint64_t*>(c.a[1]));
  return r;
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
      const long interrupted = wait_for_descriptor(t, static_cast<int>(fd), POLLOUT, c.pc);
      if (interrupted != 0) return done > 0 ? done : interrupted;
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
    if (const long r = wait_for_descriptor(t, fd, POLLOUT, c.pc); r != 0) return r;
    if (const long r = attempt(c, flags); r != -EAGAIN) return r;
  }
}

// --- signals ------------------------------------------------------------------------------------

struct Signals {
  const Thread& thread;
  std::uint64_t set;
};

void wait_for_signals(Thread& t, std::uint64_t set, std::uint64_t pc, std::uint64_t until = 0) {
  const Signals signals{t, set};
  outside::Wait w{.what = kSignals,
                  .ready =
                      [](const outside::Wait& o) {
                        const auto& s = *static_cast<const Signals*>(o.of);
                        return (pending_signals(s.thread) & s.set) != 0;
                      },
                  .of = &signals};
  outside::wait(t, w, pc, until);
}

// sigwait() and its relatives.
long sigtimedwait(Thread& t, const SystemCall& c) {
  Scheduler& s = *t.scheduler;
  static const struct timespec kNoTime = {0, 0};
  const std::uint64_t set = *reinterpret_cast<const std::uint64_t*>(c.a[0]);
  const auto* limit = reinterpret_cast<const struct timespec*>(c.a[2]);
  const std::uint64_t end = limit ? s.now(t) + nanoseconds(*limit) : 0;
  SystemCall probe = c;
  probe.a[2] = reinterpret_cast<long>(&kNoTime);
  const Awaits held(t, set);
  for (;;) {
    if (const int n = take_signal(t, set, reinterpret_cast<siginfo_t*>(c.a[1]))) return n;
    const long r = pass_system_call(probe);
    if (r != -EAGAIN || (limit && s.now(t) >= end)) return r;
    wait_for_signals(t, set, c.pc, limit ? s.now(t) + (end - s.now(t) + 7) / 8 : 0);
    if (t.handled) return -EINTR;
  }
}

// sigsuspend() and pause(): handlers run inside a call that takes no time. Our own signal must not
// end it.
long suspend(Thread& t, std::uint64_t mask, std::uint64_t pc) {
  const Awaits held(t, ~mask);
  for (;;) {
    if (handle_pending(t, mask)) return -EINTR;
    const std::uint64_t quiet = mask | signal_bit(kTickSignal);
    struct timespec no_time = {0, 0};
    const long r = system_call(SYS_ppoll, 0, 0, reinterpret_cast<long>(&no_time),
                               reinterpret_cast<long>(&quiet), 8);
    if (r == -EINTR) return r;
    wait_for_signals(t, ~quiet, pc);
    if (t.handled) return -EINTR;
  }
}

long signal_other_process(const SystemCall& c) {
  const long r = pass_system_call(c);
  if (r == 0) family::sent(c.a[0], static_cast<int>(c.a[1]));
  return r;
}

// sigqueue() and pthread_sigqueue().
long queue_signal(Thread& t, const SystemCall& c) {
  const bool to_thread = c.number == SYS_rt_tgsigqueueinfo;
  const int number = static_cast<int>(c.a[to_thread ? 2 : 1]);
  const auto& info = *reinterpret_cast<const siginfo_t*>(c.a[to_thread ? 3 : 2]);
  const SignalValue value{info.si_code, info.si_value};
  if (to_thread) {
    if (Thread* to = engine().find_thread_by_number(static_cast<int>(c.a[1])))
      return send_signal(t, *to, number, c.pc, value);
  } else if (c.a[0] == system_call(SYS_getpid)) {
    return send_signal_to_process(t, number, c.pc, value);
  }
  return signal_other_process(c);
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

// Has a child changed that the call waits for? An error is an answer, too.
bool child_ready(const outside::Wait& w) {
  const auto& c = *static_cast<const SystemCall*>(w.of);
  siginfo_t info = {};
  long r = 0;
  if (c.number == SYS_waitid) {
    r = system_call(SYS_waitid, c.a[0], c.a[1], reinterpret_cast<long>(&info),
                    c.a[3] | WNOHANG | WNOWAIT);
  } else {
    const long pid = static_cast<int>(c.a[0]);
    const long kind = pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID;
    r = system_call(SYS_waitid, kind, pid < 0 ? -pid : pid, reinterpret_cast<long>(&info),
                    WEXITED | WNOHANG | WNOWAIT | (c.a[2] & (WUNTRACED | WCONTINUED)));
  }
  return r < 0 || info.si_pid != 0;
}

// Others go on while a child process has not ended.
long wait_for_child(Thread& t, const SystemCall& c) {
  const int which = c.number == SYS_wait4 ? 2 : 3;
  for (;;) {
    outside::Wait w{.what = "wait for the end of a child process",
                    .ready = &child_ready,
                    .of = &c,
                    .child = true,
                    .told = true,
                    .closed = [](const outside::Wait& o) {
                      return family::are_waited_for(*static_cast<const SystemCall*>(o.of));
                    }};
    if ((c.a[which] & WNOHANG) != 0 || child_ready(w)) return pass_system_call(c);
    outside::wait(t, w, c.pc);
    if (const long r = after_handlers(t); r != 0) return r;
  }
}

// May somebody who waits for a descriptor or a signal go on after this call?
bool stirs(long number) {
  if (descriptors::gives(number) || descriptors::takes(number)) return true;
  switch (number) {
    case SYS_splice:
    case SYS_tee:
    case SYS_vmsplice:
    case SYS_listen:
    case SYS_close_range:
    case SYS_dup2:
    case SYS_dup3:
    case SYS_ioctl:
    case SYS_epoll_ctl:
    case SYS_timerfd_settime:
      return true;
    default:
      return false;
  }
}

}  // namespace

void forget_system_state() {
  g_user = kNoThread;
  descriptors::forget();
  g_program_stack = {nullptr, SS_DISABLE, 0};
  outside::forget();
  busy_waits::forget();
  exec::forget();
  own_descriptors::note();
}

std::uint64_t clock_value(int clock, std::uint64_t virtual_now) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return virtual_now + kCivil;
    default:
      return virtual_now;
  }
}

bool is_virtual(int clock) {
  return clock >= 0 && clock <= CLOCK_TAI && clock != CLOCK_PROCESS_CPUTIME_ID &&
         clock != CLOCK_THREAD_CPUTIME_ID && clock != CLOCK_BOOTTIME_ALARM + 1;  // of old machines
}

int refuses_sleep(int clock) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) return 0;
  // Not all of those that can be read; the kernel knows.
  const struct timespec no_time = {0, 0};
  const long r = system_call(SYS_clock_nanosleep, clock, 0, reinterpret_cast<long>(&no_time));
  return r == -EINTR ? 0 : static_cast<int>(-r);
}

int sleep_until(Thread& t, std::uint64_t until, timespec* left, std::uint64_t pc) {
  const int r = model::sleep(*t.scheduler, t, until, pc);
  if (!left) return r;
  *left = {};
  if (r == 0) return 0;
  const std::uint64_t rest = until - t.scheduler->now(t);
  *left = {static_cast<time_t>(rest / 1'000'000'000), static_cast<long>(rest % 1'000'000'000)};
  return r;
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
  // Of these, the kernel lets a handler make an error, and Jostle's own clock has one.
  if (c.number == SYS_semop || c.number == SYS_semtimedop || c.number == SYS_msgsnd ||
      c.number == SYS_msgrcv)
    while (r == -EINTR) r = call();
  // Pages are protected until they are written, and the kernel does not fault like a program.
  for (const unsigned pages : {1u, 16u, 256u})
    if (r == -EFAULT && snapshot::open_for(c, pages)) r = call();
  snapshot::performed(c, r);
  if ((c.number == SYS_write || c.number == SYS_writev) && (c.a[0] == 1 || c.a[0] == 2) && r > 0)
    g_engine->print(static_cast<int>(c.a[0]), static_cast<std::uint64_t>(r));
  return r;
}

namespace {

long model_call(Thread& t, const SystemCall& c) {
  Scheduler& s = *t.scheduler;
  if (timers::is_call(c)) return timers::call(t, c);
  if (kernel_waits::is_call(c)) return kernel_waits::call(t, c);
  switch (c.number) {
    case SYS_futex:
      return model_futex(t, c);
    case SYS_sched_yield:
      model::yield(s, t, c.pc);
      return 0;
    case SYS_nanosleep:
      return sleep_for(t, *reinterpret_cast<const timespec*>(c.a[0]),
                       reinterpret_cast<timespec*>(c.a[1]), c.pc);
    case SYS_clock_nanosleep: {
      const auto& ts = *reinterpret_cast<const timespec*>(c.a[2]);
      if (const int r = refuses_sleep(static_cast<int>(c.a[0]))) return -r;
      if (!valid(ts)) return -EINVAL;
      if (!(c.a[1] & TIMER_ABSTIME))
        return sleep_for(t, ts, reinterpret_cast<timespec*>(c.a[3]), c.pc);
      return -model::sleep(
          s, t,
          virtual_deadline(static_cast<int>(c.a[0]), static_cast<std::uint64_t>(ts.tv_sec),
                           static_cast<std::uint64_t>(ts.tv_nsec)),
          c.pc);
    }
    case SYS_prctl:
      if (c.a[0] == PR_SET_NAME) {
        set_name(t, reinterpret_cast<const char*>(c.a[1]));
        return 0;
      }
      if (c.a[0] != PR_GET_NAME || !name_of(t)) return pass_system_call(c);
      std::memcpy(reinterpret_cast<char*>(c.a[1]), name_of(t), kNameSize);
      return 0;
    case SYS_close:
    case SYS_close_range:
      return own_descriptors::close(c);
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
      if (!never_waits(c)) {
        const long r = wait_for_descriptor(t, static_cast<int>(c.a[0]), POLLIN, c.pc);
        if (r != 0) return r;
      }
      return read_now(c);
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
      return model_write(t, c);
    case SYS_rt_sigtimedwait:
      return sigtimedwait(t, c);
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
    case SYS_pause:
      return suspend(t, carrier_of(t).blocked, c.pc);
    case SYS_rt_sigpending: {
      const long r = pass_system_call(c);
      if (r == 0) *reinterpret_cast<std::uint64_t*>(c.a[0]) |= carrier_of(t).pending;
      return r;
    }
    case SYS_execve:
    case SYS_execveat:
      return exec::call(t, c);
    case SYS_wait4:
    case SYS_waitid:
      return wait_for_child(t, c);
    case SYS_exit_group:
      engine().exited(t, static_cast<int>(c.a[0]) & 0xff, c.pc);
    case SYS_kill:
      if (c.a[0] == system_call(SYS_getpid))
        return send_signal_to_process(t, static_cast<int>(c.a[1]), c.pc);
      return signal_other_process(c);
    case SYS_tgkill:
    case SYS_tkill: {
      const int which = c.number == SYS_tgkill ? 1 : 0;
      if (Thread* to = engine().find_thread_by_number(static_cast<int>(c.a[which])))
        return send_signal(t, *to, static_cast<int>(c.a[which + 1]), c.pc);
      return pass_system_call(c);
    }
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
      return queue_signal(t, c);
    case SYS_poll:
      return poll_like(t, c, 2, Timeout::milliseconds);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return poll_like(t, c, 3, Timeout::milliseconds);
    case SYS_epoll_pwait2:
      return poll_like(t, c, 3, Timeout::timespec);
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

// A search of all differences does not know what descriptors lead to: if more than one thread uses
// them, the order may be one. Not so for the standard streams: see interpose/stdio.cc.
void look_for_order(Thread& t, const SystemCall& c) {
  Scheduler& s = *t.scheduler;
  if (!s.log()) return;
  const bool prints =
      (c.number == SYS_write || c.number == SYS_writev) && (c.a[0] == 1 || c.a[0] == 2);
  if (prints && !s.settings().output_matters) return;
  if (g_user != kNoThread && g_user != t.id)
    s.log()->cannot_tell("uses files or sockets in several threads");
  g_user = t.id;
}

// Memory that was given back is new when it comes again: nothing was done to it, and no lock is
// there.
void look_at_memory(const SystemCall& c, long result) {
  constexpr std::size_t kMost = std::size_t{1} << 36;  // nobody has touched all of that
  const auto size = static_cast<std::size_t>(c.a[1]);
  if (result < 0 && result > -4096) return;
  if (size > kMost) return;
  switch (c.number) {
    case SYS_mmap:
      if (c.a[3] & MAP_FIXED) g_engine->races().forget(static_cast<Address>(c.a[0]), size);
      return;
    case SYS_mremap: {  // what stays where it is stays what it is
      const bool moved = result != c.a[0];
      const std::size_t kept = moved ? 0 : std::min(size, static_cast<std::size_t>(c.a[2]));
      g_engine->races().forget(static_cast<Address>(c.a[0]) + kept, size - kept);
      return;
    }
    case SYS_munmap:
      g_engine->races().forget(static_cast<Address>(c.a[0]), size);
      return;
    default:
      return;
  }
}

// Does it give descriptors away, or let the kernel use them as it sees fit?
bool gives_descriptors(const SystemCall& c) {
  switch (c.number) {
    case SYS_sendmsg:
      return reinterpret_cast<const msghdr*>(c.a[1])->msg_controllen > 0;
    case SYS_io_uring_setup:
    case SYS_io_setup:
    case SYS_pidfd_getfd:
      return true;
    default:
      return false;
  }
}

// A handler that runs just before one of these tells nobody who waits in it: what the program has
// looked at before may have changed since.
bool may_miss_a_signal(long number) { return number == SYS_pause || descriptors::asks(number); }

}  // namespace

long model_system_call(Thread& t, const SystemCall& c) {
  if (may_miss_a_signal(c.number) && program_handles_signals())
    model::control_point(*t.scheduler, t, c.pc, 0);
  if (gives_descriptors(c)) outside::not_alone();
  if (stirs(c.number) || descriptors::numbers(c.number)) look_for_order(t, c);
  exec::look_at(c);
  descriptors::before_call(t, c);
  const long r = model_call(t, c);
  if (r >= 0) descriptors::after_call(t, c);
  look_at_memory(c, r);
  if (JOSTLE_UNLIKELY(t.scheduler->recording()) && leaves_files(c, r))
    t.scheduler->outcome().leaves_files = true;
  if (stirs(c.number) || kernel_waits::stirs(c.number)) outside::look();
  return r;
}

}  // namespace jostle
