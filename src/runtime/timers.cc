#include "runtime/timers.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include <cerrno>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/outside.h"
#include "runtime/self.h"
#include "runtime/signal_model.h"
#include "runtime/signals.h"
#include "runtime/system_call.h"
#include "sched/model/model.h"

namespace jostle::timers {
namespace {

enum class Notify : std::uint8_t { signal, nobody, thread, descriptor };

struct Timer {
  bool used;
  Notify notify;
  int number;  // signal, or descriptor
  int tid;     // of the thread that gets the signal; 0: the process
  int code;
  int clock;
  sigval value;
  void (*function)(sigval);
  std::uint64_t at, interval;  // at: 0 = not armed
  // How often it has run out since it last told so, while that was not yet seen; and at the time
  // before.
  std::uint32_t missed, missed_before;
};
constexpr std::uint32_t kTimers = 256;
constexpr std::uint32_t kAlarm = 0;  // ITIMER_REAL
constexpr long kFirstId = 1 << 20;   // the kernel's own are smaller
Timer g_timers[kTimers];
std::uint32_t g_used = 1;  // one more than the highest that was used
Thread* g_thread = nullptr;
bool g_processor_timers = false;  // the kernel's own were set

std::uint64_t nanoseconds(const timespec& ts) {
  if (ts.tv_sec > 9'000'000'000) return ~0ull >> 2;
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(ts.tv_nsec);
}
std::uint64_t nanoseconds(const timeval& tv) {
  return nanoseconds(timespec{tv.tv_sec, tv.tv_usec * 1000});
}
timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}
timeval to_timeval(std::uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000 / 1000)};
}
bool valid(const timespec& ts) {
  return ts.tv_sec >= 0 && ts.tv_nsec >= 0 && ts.tv_nsec < 1'000'000'000;
}

Timer* earliest() {
  Timer* best = nullptr;
  for (std::uint32_t i = 0; i < g_used; ++i)
    if (Timer& t = g_timers[i]; t.used && t.at != 0 && (!best || t.at < best->at)) best = &t;
  return best;
}

std::uint64_t left(const Timer& timer, std::uint64_t now) {
  return timer.at == 0 ? 0 : timer.at > now ? timer.at - now : 1;
}

// --- running out --------------------------------------------------------------------------------

void* call_function(void* argument) {
  const Timer timer = *static_cast<Timer*>(argument);
  set_kernel_mask(0);
  mask_changed(*t_self, 0);
  if (timer.used && timer.function) timer.function(timer.value);  // else it was deleted meanwhile
  return nullptr;
}

// Its signal was sent, and nobody has taken it yet.
bool is_pending(const Timer& timer, Scheduler& s) {
  std::uint64_t held = 0;
  system_call(SYS_rt_sigpending, reinterpret_cast<long>(&held), 8);
  if (held & signal_bit(timer.number)) return true;
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    const Thread& t = s.thread(static_cast<ThreadId>(i));
    if (t.finished) continue;
    const Carrier& c = carrier_of(t);
    for (std::uint32_t k = 0; k < c.sent_count; ++k)
      if (c.sent[k].number == timer.number && c.sent[k].code == timer.code &&
          c.sent[k].value.sival_ptr == timer.value.sival_ptr)
        return true;
  }
  return false;
}

void notify(Thread& t, Timer& timer) {
  const SignalValue value{timer.code, timer.value};
  switch (timer.notify) {
    case Notify::nobody:
      return;
    case Notify::signal:
      if (is_pending(timer, *t.scheduler)) {
        ++timer.missed;
        return;
      }
      timer.missed_before = timer.missed;
      timer.missed = 0;
      if (timer.tid == 0) {
        send_signal_to_process(t, timer.number, 0, value);
      } else if (Thread* to = engine().find_thread_by_number(timer.tid)) {
        send_signal(t, *to, timer.number, 0, value);
      }
      return;
    case Notify::thread: {
      pthread_t handle;
      engine().start_thread(t, &call_function, &timer, 0, true, 0, &handle);
      return;
    }
    case Notify::descriptor: {
      // The real timer behind the descriptor runs out at once. Who has not read it has one already.
      pollfd p{timer.number, POLLIN, 0};
      if (system_call(SYS_poll, reinterpret_cast<long>(&p), 1, 0) != 0) {
        ++timer.missed;
        return;
      }
      const itimerspec at_once = {{0, 0}, {0, 1}};
      if (system_call(SYS_timerfd_settime, timer.number, 0, reinterpret_cast<long>(&at_once), 0) !=
          0) {
        timer.used = false;  // closed
        return;
      }
      system_call(SYS_poll, reinterpret_cast<long>(&p), 1, 100);
      outside::look(true);
      return;
    }
  }
}

void fire(Thread& t, Timer& timer) {
  timer.at = timer.interval ? timer.at + timer.interval : 0;
  notify(t, timer);
}

// One that would end the program is there in case that it hangs: whatever has not happened when it
// runs out would have, in any program that is quick enough.
bool only_when_idle(const Timer& timer) {
  return timer.notify == Notify::signal && ends_the_program(timer.number);
}

void sleep_until_due(Thread& t) {
  Scheduler& s = *t.scheduler;
  s.announce(t, EventKind::sleep, 0, 0);
  s.disable(t, Wait::untimed);
  t.timed_out = false;
  t.resume = nullptr;
  if (const Timer* next = earliest()) {
    s.arm(t, next->at);
    t.patient = only_when_idle(*next);
  }
  s.block(t);
  s.noted(t);
}

void* run(void*) {
  Thread& t = *t_self;
  for (;;) {
    sleep_until_due(t);
    while (Timer* next = earliest()) {
      if (next->at > t.scheduler->now(t)) break;
      fire(t, *next);
    }
  }
}

// --- arming -------------------------------------------------------------------------------------

void arm(Thread& by, Timer& timer, std::uint64_t at, std::uint64_t interval, std::uint64_t pc) {
  Scheduler& s = *by.scheduler;
  timer.at = at;
  timer.interval = interval;
  timer.missed = timer.missed_before = 0;
  if (at != 0) {
    if (s.log()) s.log()->cannot_tell("uses timers");
    if (!g_thread) {
      pthread_t handle;
      Thread* t = engine().start_thread(by, &run, nullptr, 0, true, pc, &handle);
      if (!t) return engine().uncontrolled("a timer: there are too many threads", pc);
      g_thread = t;
      s.helps(*t);
      t->deadline = at;
      carrier_of(*t).blocked = ~kNeverBlocked;
      std::strcpy(t->name, "timers");
      if (Recorder* r = s.recorder()) std::strcpy(r->thread(t->id).name, t->name);
      return;
    }
    // What was done before is known to whoever is told.
    s.learn(*g_thread, by);
    s.tick(by);
  }
  if (!g_thread || &by == g_thread) return;
  const Timer* next = earliest();
  if (s.enabled(*g_thread)) {  // it has not begun, or something has run out
    g_thread->deadline = next ? next->at : ~0ull;
    return;
  }
  s.disarm(*g_thread);
  if (next) {
    s.arm(*g_thread, next->at);
    g_thread->patient = only_when_idle(*next);
  }
}

std::uint64_t due(Thread& t, const Timer& timer, const timespec& ts, bool absolute) {
  const std::uint64_t ns = nanoseconds(ts);
  if (ns == 0) return 0;
  if (!absolute) return t.scheduler->now(t) + ns;
  return virtual_deadline(timer.clock, static_cast<std::uint64_t>(ts.tv_sec),
                          static_cast<std::uint64_t>(ts.tv_nsec));
}

Timer* find(long id) {
  id -= kFirstId;
  return id > 0 && id < static_cast<long>(g_used) && g_timers[id].used &&
                 g_timers[id].notify != Notify::descriptor
             ? &g_timers[id]
             : nullptr;
}
Timer* descriptor_timer(int fd) {
  for (std::uint32_t i = 1; i < g_used; ++i)
    if (g_timers[i].used && g_timers[i].notify == Notify::descriptor && g_timers[i].number == fd)
      return &g_timers[i];
  return nullptr;
}
Timer* add() {
  for (std::uint32_t i = 1; i < kTimers; ++i)
    if (!g_timers[i].used) {
      g_timers[i] = {};
      g_timers[i].used = true;
      if (i >= g_used) g_used = i + 1;
      return &g_timers[i];
    }
  return nullptr;
}

long set(Thread& t, const SystemCall& c, Timer& timer) {
  const auto* now = reinterpret_cast<const itimerspec*>(c.a[2]);
  auto* old = reinterpret_cast<itimerspec*>(c.a[3]);
  if (!now || !valid(now->it_value) || !valid(now->it_interval)) return -EINVAL;
  const itimerspec wanted = *now;
  if (old) *old = {to_timespec(timer.interval), to_timespec(left(timer, t.scheduler->now(t)))};
  arm(t, timer, due(t, timer, wanted.it_value, (c.a[1] & TIMER_ABSTIME) != 0),
      nanoseconds(wanted.it_interval), c.pc);
  return 0;
}

long get(Thread& t, const SystemCall& c, const Timer& timer) {
  *reinterpret_cast<itimerspec*>(c.a[1]) = {to_timespec(timer.interval),
                                            to_timespec(left(timer, t.scheduler->now(t)))};
  return 0;
}

Timer& alarm_timer() {
  Timer& t = g_timers[kAlarm];
  t.used = true;
  t.notify = Notify::signal;
  t.number = SIGALRM;
  t.code = SI_USER;
  return t;
}

long set_alarm(Thread& t, const SystemCall& c) {
  Timer& timer = alarm_timer();
  const std::uint64_t now = t.scheduler->now(t), before = left(timer, now);
  if (c.number == SYS_alarm) {
    const std::uint64_t seconds = static_cast<unsigned>(c.a[0]);
    arm(t, timer, seconds ? now + seconds * 1'000'000'000 : 0, 0, c.pc);
    return static_cast<long>((before + 999'999'999) / 1'000'000'000);
  }
  const auto* wanted = reinterpret_cast<const itimerval*>(c.a[1]);
  auto* old = reinterpret_cast<itimerval*>(c.a[2]);
  const itimerval given = wanted ? *wanted : itimerval{};
  if (old) *old = {to_timeval(timer.interval), to_timeval(before)};
  const std::uint64_t first = nanoseconds(given.it_value);
  arm(t, timer, first ? now + first : 0, nanoseconds(given.it_interval), c.pc);
  return 0;
}

// Of the time that the processor works, which only the kernel knows.
long set_processor_timer(const SystemCall& c) {
  engine().uncontrolled("a timer of processor time", c.pc);
  g_processor_timers = true;
  return pass_system_call(c);
}

long set_descriptor(Thread& t, const SystemCall& c) {
  // What has run out is forgotten, and a wrong descriptor is told.
  const itimerspec never = {};
  if (const long r = system_call(SYS_timerfd_settime, c.a[0], 0, reinterpret_cast<long>(&never), 0);
      r < 0)
    return r;
  const int fd = static_cast<int>(c.a[0]);
  Timer* timer = descriptor_timer(fd);
  if (!timer && !(timer = add())) return -ENOMEM;
  if (timer->notify != Notify::descriptor) {  // not created here, but in another execution
    timer->notify = Notify::descriptor;
    timer->number = fd;
    timer->clock = CLOCK_MONOTONIC;
  }
  return set(t, c, *timer);
}

long create_descriptor(const SystemCall& c) {
  const long fd = pass_system_call(c);
  if (fd < 0) return fd;
  Timer* timer = descriptor_timer(static_cast<int>(fd));
  if (!timer && !(timer = add())) return fd;
  *timer = {};
  timer->used = true;
  timer->notify = Notify::descriptor;
  timer->number = static_cast<int>(fd);
  timer->clock = static_cast<int>(c.a[0]);
  return fd;
}

}  // namespace

bool is_call(const SystemCall& c) {
  switch (c.number) {
    case SYS_setitimer:
      return true;
    case SYS_getitimer:
      return c.a[0] == ITIMER_REAL;
    case SYS_alarm:
    case SYS_timer_create:
    case SYS_timer_settime:
    case SYS_timer_gettime:
    case SYS_timer_getoverrun:
    case SYS_timer_delete:
    case SYS_timerfd_create:
    case SYS_timerfd_settime:
      return true;
    case SYS_timerfd_gettime:
      return descriptor_timer(static_cast<int>(c.a[0])) != nullptr;
    default:
      return false;
  }
}

long call(Thread& t, const SystemCall& c) {
  switch (c.number) {
    case SYS_setitimer:
      if (c.a[0] != ITIMER_REAL) return set_processor_timer(c);
      [[fallthrough]];
    case SYS_alarm:
      return set_alarm(t, c);
    case SYS_getitimer: {
      const Timer& timer = alarm_timer();
      *reinterpret_cast<itimerval*>(c.a[1]) = {to_timeval(timer.interval),
                                               to_timeval(left(timer, t.scheduler->now(t)))};
      return 0;
    }
    case SYS_timer_create: {
      timer_t id;
      const int r =
          create(t, static_cast<int>(c.a[0]), reinterpret_cast<const sigevent*>(c.a[1]), &id);
      if (r != 0) return -r;
      *reinterpret_cast<int*>(c.a[2]) = static_cast<int>(reinterpret_cast<std::intptr_t>(id));
      return 0;
    }
    case SYS_timerfd_create:
      return create_descriptor(c);
    case SYS_timerfd_settime:
      return set_descriptor(t, c);
    case SYS_timerfd_gettime:
      return get(t, c, *descriptor_timer(static_cast<int>(c.a[0])));
    default:
      break;
  }
  Timer* timer = find(static_cast<int>(c.a[0]));
  if (!timer) {
    const long r = pass_system_call(c);
    if (r >= 0) engine().uncontrolled("a timer that was created outside", c.pc);
    return r;
  }
  switch (c.number) {
    case SYS_timer_settime:
      return set(t, c, *timer);
    case SYS_timer_gettime:
      return get(t, c, *timer);
    case SYS_timer_getoverrun:
      return is_pending(*timer, *t.scheduler) ? timer->missed_before : timer->missed;
    default:
      arm(t, *timer, 0, 0, c.pc);
      timer->used = false;
      return 0;
  }
}

namespace {

// What the kernel says of a timer of that clock.
int refuses(int clock) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) return 0;
  sigevent nobody{};
  nobody.sigev_notify = SIGEV_NONE;
  int id = 0;
  const long r = system_call(SYS_timer_create, clock, reinterpret_cast<long>(&nobody),
                             reinterpret_cast<long>(&id));
  if (r < 0) return static_cast<int>(-r);
  system_call(SYS_timer_delete, id);
  if (!is_virtual(clock))
    engine().uncontrolled("a timer of processor time runs on virtual time", 0);
  return 0;
}

}  // namespace

int create(Thread&, int clock, const sigevent* event, timer_t* out) {
  if (const int r = refuses(clock)) return r;
  Timer* timer = add();
  if (!timer) return EAGAIN;
  const auto id = timer - g_timers + kFirstId;
  timer->clock = clock;
  timer->code = SI_TIMER;
  timer->number = SIGALRM;
  timer->value.sival_int = static_cast<int>(id);
  if (event) {
    timer->number = event->sigev_signo;
    timer->value = event->sigev_value;
    switch (event->sigev_notify) {
      case SIGEV_SIGNAL:
        break;
      case SIGEV_NONE:
        timer->notify = Notify::nobody;
        break;
      case SIGEV_THREAD:
        timer->notify = Notify::thread;
        timer->function = event->sigev_notify_function;
        break;
      case SIGEV_THREAD_ID:
        timer->tid = event->_sigev_un._tid;
        break;
      default:
        timer->used = false;
        return EINVAL;
    }
    if (timer->notify == Notify::signal && (timer->number < 1 || timer->number > 64)) {
      timer->used = false;
      return EINVAL;
    }
  }
  *out = reinterpret_cast<timer_t>(static_cast<std::intptr_t>(id));
  return 0;
}

void no_steps_for(Thread& running, double seconds) {
  Timer* timer = g_thread ? earliest() : nullptr;
  if (!timer || timer->notify != Notify::signal || timer->tid != 0) return;
  const auto passed = static_cast<std::uint64_t>(seconds * 1e9);
  if (left(*timer, running.scheduler->now(running)) > passed) return;
  if (carrier_of(running).blocked & signal_bit(timer->number)) return;
  engine().uncontrolled("a timer that ran out in a loop without any step", 0);
  timer->at = timer->interval ? running.scheduler->now(running) + timer->interval : 0;
  send_signal(running, running, timer->number, 0, {timer->code, timer->value});
}

void was_read(int fd, std::uint64_t& count) {
  Timer* timer = descriptor_timer(fd);
  if (!timer) return;
  count += timer->missed;
  timer->missed = 0;
}

void forget() {
  if (g_processor_timers) {
    const itimerval never = {};
    for (const long which : {ITIMER_VIRTUAL, ITIMER_PROF})
      system_call(SYS_setitimer, which, reinterpret_cast<long>(&never), 0);
  }
  g_processor_timers = false;
  for (std::uint32_t i = 0; i < g_used; ++i) g_timers[i] = {};
  g_used = 1;
  g_thread = nullptr;
}

}  // namespace jostle::timers
