// Sleeps and clocks, on virtual time.
#include <csignal>

#include "runtime/interpose/interpose.h"
#include "runtime/timers.h"

using namespace jostle;

namespace {

std::uint64_t nanoseconds(const timespec& ts) {
  if (ts.tv_sec > 9'000'000'000) return ~0ull >> 2;
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(ts.tv_nsec);
}

int cancellable_sleep(Thread& t, std::uint64_t until, timespec* left, std::uint64_t pc) {
  cancellation_point(t);
  const int r = sleep_until(t, until, left, pc);
  cancellation_point(t);
  return r;
}
int sleep_for(Thread& t, std::uint64_t ns, timespec* left, std::uint64_t pc) {
  return cancellable_sleep(t, t.scheduler->now(t) + ns, left, pc);
}

timespec read(Thread& t, clockid_t clock) {
  const std::uint64_t v = clock_value(clock, t.scheduler->read_clock(t));
  return {static_cast<time_t>(v / 1'000'000'000), static_cast<long>(v % 1'000'000'000)};
}

}  // namespace

JOSTLE_EXPORT int sched_yield() noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::sched_yield();
  model::yield(*t->scheduler, *t, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT int nanosleep(const timespec* ts, timespec* left) {
  Thread* t = self();
  if (!t) return real::ready(), real::nanosleep(ts, left);
  if (ts->tv_sec < 0 || !valid(ts)) return with_errno(EINVAL);
  return with_errno(sleep_for(*t, nanoseconds(*ts), left, JOSTLE_CALLER));
}
JOSTLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* ts, timespec* left) {
  Thread* t = self();
  if (!t) return real::ready(), real::clock_nanosleep(clock, flags, ts, left);
  if (ts->tv_sec < 0 || !valid(ts) || clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
  if (const int r = refuses_sleep(clock)) return r;
  if (flags & TIMER_ABSTIME)
    return cancellable_sleep(*t, deadline(clock, ts), nullptr, JOSTLE_CALLER);
  return sleep_for(*t, nanoseconds(*ts), left, JOSTLE_CALLER);
}
JOSTLE_EXPORT int usleep(useconds_t us) {
  Thread* t = self();
  if (!t) return real::ready(), real::usleep(us);
  return with_errno(sleep_for(*t, us * 1000ull, nullptr, JOSTLE_CALLER));
}
JOSTLE_EXPORT unsigned sleep(unsigned seconds) {
  Thread* t = self();
  if (!t) return real::ready(), real::sleep(seconds);
  timespec left;
  sleep_for(*t, seconds * 1'000'000'000ull, &left, JOSTLE_CALLER);
  return static_cast<unsigned>(left.tv_sec + (left.tv_nsec != 0));
}
// The C library would start a thread of its own for timers that call functions.
JOSTLE_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* out) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::timer_create(clock, event, out);
  return with_errno(timers::create(*t, clock, event, out));
}
JOSTLE_EXPORT int clock_gettime(clockid_t clock, timespec* out) noexcept {
  Thread* t = self();
  if (!t || !is_virtual(clock)) return real::ready(), real::clock_gettime(clock, out);
  *out = read(*t, clock);
  return 0;
}
JOSTLE_EXPORT int gettimeofday(timeval* out, void* zone) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::gettimeofday(out, zone);
  const timespec ts = read(*t, CLOCK_REALTIME);
  *out = {ts.tv_sec, ts.tv_nsec / 1000};
  return 0;
}
JOSTLE_EXPORT time_t time(time_t* out) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::time(out);
  const time_t now = read(*t, CLOCK_REALTIME).tv_sec;
  if (out) *out = now;
  return now;
}
JOSTLE_EXPORT int timespec_get(timespec* out, int base) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::timespec_get(out, base);
  if (base != TIME_UTC) return 0;
  *out = read(*t, CLOCK_REALTIME);
  return base;
}
