#include "runtime/outside.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <ctime>

#include "runtime/descriptors.h"
#include "runtime/engine.h"
#include "runtime/family.h"
#include "runtime/self.h"
#include "runtime/shared_memory.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"
#include "sched/model/model.h"

namespace jostle::outside {
namespace {

Wait* g_first = nullptr;
// Real waits of a moment although virtual time could pass: so many if anything ever came from
// outside, then only now and then.
constexpr std::uint32_t kPatience = 1, kSometimes = 256;
std::uint32_t g_moments = 0;
bool g_helped = false;
bool g_alone = true;
// Of the moments that strategies ask for: so long is one, and so many there are in an execution.
constexpr long kMoment = 2'000'000;
constexpr std::uint32_t kMoments = 100;
std::uint32_t g_asked = 0;
// For how long, in seconds of real time, nothing came, and the program did no more than to wait
// with limits that ran out. What it computes in between does not count.
constexpr double kMostOfOnePass = 0.01;
constexpr std::uint32_t kIdleSteps = 1000;
double g_idle = 0, g_last_pass = 0;
std::uint32_t g_last_steps = 0;

double seconds() {
  timespec ts{};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&ts));
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
}

void let_go(Wait& w) {
  Scheduler& s = *w.thread->scheduler;
  if (s.enabled(*w.thread)) return;
  s.disarm(*w.thread);
  s.enable(*w.thread);
}

bool anybody_ready() {
  bool any = false;
  for (Wait* w = g_first; w; w = w->next)
    if (w->ready(*w)) {
      let_go(*w);
      any = true;
    }
  return any;
}

// Sleeps until a descriptor that somebody waits for is ready.
void sleep_a_moment(long nanoseconds) {
  pollfd all[64];
  unsigned n = 0;
  for (const Wait* w = g_first; w; w = w->next) {
    // What cannot be watched is asked often.
    if (w->count == 0 || n + w->count > std::size(all))
      nanoseconds = std::min(nanoseconds, 500'000L);
    for (unsigned i = 0; i < w->count && n < std::size(all); ++i) all[n++] = w->descriptors[i];
  }
  timespec ts{0, nanoseconds};
  system_call(SYS_ppoll, reinterpret_cast<long>(all), n, reinterpret_cast<long>(&ts), 0, 8);
  if (Scheduler& s = engine().scheduler(); s.given_up()) s.leave_given_up(s.running());
}

// Has the program a child process? It runs by itself, and may post to a semaphore that both share,
// or send a signal whose handler does.
bool has_children() {
  siginfo_t info = {};
  return system_call(SYS_waitid, P_ALL, 0, reinterpret_cast<long>(&info),
                     WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

bool any_semaphore_was_posted(Scheduler& s) {
  bool any = false;
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    Thread& t = s.thread(static_cast<ThreadId>(i));
    const Object* o = t.waiting_on;
    if (t.finished || s.enabled(t) || !o || o->kind != ObjectKind::semaphore || !model::sem_can(*o))
      continue;
    s.disarm(t);
    s.enable(t);
    any = true;
  }
  return any;
}

// The threads wait for each other, or for something that a child process does.
bool child_helps(Scheduler& s) {
  if (!has_children()) return any_semaphore_was_posted(s);
  engine().uncontrolled("wait for what a child process does", s.running().pending.pc);
  const double limit = engine().timeout(), start = seconds();
  do {
    const bool last = !has_children();
    sleep_a_moment(1'000'000);
    if (any_semaphore_was_posted(s) || anybody_ready()) return g_helped = true;
    if (last) return false;
  } while (limit <= 0 || seconds() - start < limit);
  return false;
}

Wait* first_open() {
  Wait* w = g_first;
  while (w && !is_open(*w)) w = w->next;
  return w;
}

void tell_open() {
  for (const Wait* w = g_first; w; w = w->next)
    if (!w->told && is_open(*w)) engine().uncontrolled(w->what, w->thread->pending.pc);
}

// It fails by itself: its frames are what the report shows.
void expire() {
  Wait* w = first_open();
  w->expired = true;
  let_go(*w);
}

// Virtual time is about to pass. Has it done nothing else for too long?
bool only_time_passes(Scheduler& s) {
  if (!first_open()) return false;
  const double now = seconds(), limit = engine().timeout();
  const std::uint32_t steps = s.steps();
  if (steps - g_last_steps > kIdleSteps)
    g_idle = 0;
  else
    g_idle += std::min(now - g_last_pass, kMostOfOnePass);
  g_last_pass = now;
  g_last_steps = steps;
  return limit > 0 && g_idle >= limit;
}

// The scheduler's last resort: nobody can go on, unless virtual time passes.
bool nobody_can_go_on(Scheduler& s, bool time_can_pass) {
  if (anybody_ready()) return true;
  InRuntime guard(s.running());
  if (time_can_pass && only_time_passes(s)) {
    tell_open();
    expire();
    return true;
  }
  if (family::several()) return family::nobody_can_go_on(s, time_can_pass);
  if (!g_first) return !time_can_pass && child_helps(s);
  if (time_can_pass) {
    if (++g_moments > (g_helped ? kPatience : 0) && g_moments % kSometimes != 0) return false;
    sleep_a_moment(1'000'000);
    if (!anybody_ready()) return false;
    g_moments = 0;
    g_idle = 0;
    return g_helped = true;
  }
  if (!first_open()) return false;  // they wait for each other
  tell_open();
  const double limit = engine().timeout(), start = seconds();
  do {
    sleep_a_moment(10'000'000);
    if (anybody_ready()) return g_helped = true;
  } while (limit <= 0 || seconds() - start < limit);
  expire();
  return true;
}

// A strategy would rather wait than let anybody go on.
bool give_a_moment(Scheduler& s) {
  if (anybody_ready()) return true;
  InRuntime guard(s.running());
  while (g_asked++ < kMoments) {
    sleep_a_moment(kMoment);
    if (anybody_ready()) return g_helped = true;
  }
  s.await_outside(&nobody_can_go_on, nullptr);
  return false;
}

void nobody_waits(Scheduler& s) {
  s.await_outside(start_carrier() ? &nobody_can_go_on : nullptr, nullptr, false);
}

AwaitedDescriptor described(const Wait& w) {
  if (w.child) return {0, DescriptorKind::process, true, false, false};
  return descriptors::described(w.descriptors, w.count);
}

void keep(Wait& w) {
  // In order of arrival, so that what is reported is the same in every process.
  Wait** at = &g_first;
  while (*at) at = &(*at)->next;
  w.next = nullptr;
  *at = &w;
}

void drop(Wait& w) {
  for (Wait** at = &g_first; *at; at = &(*at)->next)
    if (*at == &w) {
      *at = w.next;
      break;
    }
  if (!g_first) nobody_waits(*w.thread->scheduler);
}

}  // namespace

const char* doubt(Scheduler& s, bool spins) {
  if (is_alone()) return nullptr;
  static SharedMemory memory;
  memory.find();
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    const Thread& t = s.thread(static_cast<ThreadId>(i));
    // (That a semaphore was posted is seen.)
    const bool waits = !t.finished && t.pending.kind != EventKind::sem_wait;
    if (spins ? !memory.empty() : waits && memory.has(t.pending.address))
      return "a thread waits for what another process does to memory that both share: Jostle sees "
             "that of processes that it controls (--children controlled)";
  }
  return nullptr;
}

bool is_open(const Wait& w) { return !is_alone() || !w.closed || !w.closed(w); }

void wait(Thread& t, Wait& w, std::uint64_t pc, std::uint64_t until) {
  Scheduler& s = *t.scheduler;
  w.thread = &t;
  keep(w);
  t.handled = false;
  s.await_outside(&nobody_can_go_on, g_asked < kMoments ? &give_a_moment : nullptr);
  s.announce(t, EventKind::io_wait, 0, pc);
  t.wait_mask = s.recording() ? std::bit_cast<std::uint32_t>(described(w)) : 0;
  const auto is_cancelled = [&] { return carrier_of(t).cancellable && model::cancelled(t); };
  if (is_cancelled()) {
    s.point(t);  // it was while it came here
  } else if (until != 0) {
    s.sleep_until(t, until);
  } else {
    s.disable(t, jostle::Wait::untimed);
    s.block(t);
  }
  drop(w);
  s.noted(t);
  if (is_cancelled()) {
    t.handled = true;  // as if by a handler: the call fails, and its caller acts on it
    t.restarts = false;
  }
  if (!w.expired) return;
  char message[120];
  std::snprintf(message, sizeof message, "nothing happened for %g seconds: %s", engine().timeout(),
                w.what);
  engine().fail(t, FindingKind::timeout, pc, nullptr, 0, message);
}

void interrupt(const Thread& t) {
  for (Wait* w = g_first; w; w = w->next)
    if (w->thread == &t) return drop(*w);
}

void look(bool time) {
  if (g_first && anybody_ready() && !time) g_idle = 0;
  family::stirred();
}

void look_here() {
  if (g_first) anybody_ready();
}

void not_alone() {
  g_alone = false;
  family::not_alone();
}
bool is_alone() { return g_alone && family::are_alone(); }

bool may_help() { return first_open() != nullptr; }

bool wait_a_moment(bool over) {
  tell_open();
  if (over) {
    expire();
    return true;
  }
  sleep_a_moment(10'000'000);
  return anybody_ready();
}

void forget_waits() {
  g_first = nullptr;
  g_moments = g_asked = 0;
  g_idle = 0;
  nobody_waits(engine().scheduler());
}

void forget() {
  forget_waits();
  g_alone = true;
}

}  // namespace jostle::outside
