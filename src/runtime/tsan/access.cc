#include "runtime/tsan/access.h"

namespace jostle {

constexpr std::uint32_t kFuel = 4096;

void access_point(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc) {
  Scheduler& s = *t.scheduler;
  Engine& e = *g_engine;
  if (t.in_runtime) return;
  std::uint8_t flags = e.site_flags(pc);
  if (t.fuel == 0) {
    // No operation of the scheduler's for thousands of accesses: perhaps it waits for a plain
    // variable. Let the others go first.
    t.fuel = kFuel;
    s.announce(t, write ? EventKind::write : EventKind::read, a, pc, static_cast<std::uint32_t>(size));
    s.yield(t);
    s.point(t);
    s.noted(t);
    return;
  }
  const EventKind kind = write ? EventKind::write : EventKind::read;
  if (flags & kPromoted) {
    s.announce(t, kind, a, pc, static_cast<std::uint32_t>(size));
    s.point(t);
    std::uint64_t value = 0;
    if (!write && size <= 8) std::memcpy(&value, reinterpret_cast<const void*>(a), size);
    Event* r = write ? s.performed(t, nullptr) : s.observed(t, nullptr, value);
    if (r && size <= 8) {
      std::memcpy(write ? &r->old : &r->value, reinterpret_cast<const void*>(a), size);
      r->flags |= write ? kOldKnown : kValueKnown;
      if (write) t.last_write_event = s.recorder()->event_count();
    }
    return;
  }
  if (!s.recording()) return;
  // Not a point: only told. The pending operation must not change.
  const Op pending = t.pending;
  s.announce(t, kind, a, (flags & kWatched) ? pc : 0, static_cast<std::uint32_t>(size));
  Event* r = s.mark(t, kind, a, pc);
  t.pending = pending;
  if (r && size <= 8) {
    std::memcpy(write ? &r->old : &r->value, reinterpret_cast<const void*>(a), size);
    r->flags |= write ? kOldKnown : kValueKnown;
    if (write) t.last_write_event = s.recorder()->event_count();
  }
}

void access_checked(Thread& t, Cell& c, Address a, std::uint32_t size, bool write, std::uint64_t pc) {
  if (t.in_runtime) return;
  g_engine->races().access(t, c, a, size, write, pc);
}

void access_range(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc) {
  if (t.in_runtime) return;
  g_engine->races().range(t, a, size, write, pc);
}

}  // namespace jostle
