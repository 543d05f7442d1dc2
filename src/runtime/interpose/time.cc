// Sleeps and clocks, on virtual time.
#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

std::uint64_t nanoseconds(const timespec& ts) {
  if (ts.tv_sec > 9'000'000'000) return ~0ull >> 2;
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(ts.tv_nsec);
}

void sleep_for(Thread& t, std::uint64_t ns, std::uint64_t pc) {
  cancellation_point(t);
  model::sleep(*t.scheduler, t, t.scheduler->now() + ns, pc);
  cancellation_point(t);
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
  sleep_for(*t, nanoseconds(*ts), JOSTLE_CALLER);
  if (left) *left = {};
  return 0;
}
JOSTLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* ts, timespec* left) {
  Thread* t = self();
  if (!t) return real::ready(), real::clock_nanosleep(clock, flags, ts, left);
  if (ts->tv_sec < 0 || !valid(ts)) return EINVAL;
  if (!(flags & TIMER_ABSTIME)) {
    sleep_for(*t, nanoseconds(*ts), JOSTLE_CALLER);
    if (left) *left = {};
    return 0;
  }
  cancellation_point(*t);
  model::sleep(*t->scheduler, *t, deadline(clock, ts), JOSTLE_CALLER);
  cancellation_point(*t);
  return 0;
}
JOSTLE_EXPORT int usleep(useconds_t us) {
  Thread* t = self();
  if (!t) return real::ready(), real::usleep(us);
  sleep_for(*t, us * 1000ull, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT unsigned sleep(unsigned seconds) {
  Thread* t = self();
  if (!t) return real::ready(), real::sleep(seconds);
  sleep_for(*t, seconds * 1'000'000'000ull, JOSTLE_CALLER);
  return 0;
}
JOSTLE_EXPORT int clock_gettime(clockid_t clock, timespec* out) noexcept {
  Thread* t = self();
  const bool virtualised = clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
  if (!t || !virtualised || clock < 0) return real::ready(), real::clock_gettime(clock, out);
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
