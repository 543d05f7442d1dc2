#include "runtime/tsan/access.h"

namespace jostle {

namespace {

// The hook comes before the access: what is sure to crash must crash there, at the program's own
// instruction, and not here.
bool may_read(Address a, std::size_t size) { return size <= 8 && a >> 16 != 0 && a >> 47 == 0; }

// By the sizes that code mostly has: a copy of any size is a call.
std::uint64_t content_of(Address a, std::size_t size) {
  const auto* p = reinterpret_cast<const void*>(a);
  std::uint64_t value = 0;
  if (!may_read(a, size)) return value;
  switch (size) {
    case 1:
      std::memcpy(&value, p, 1);
      break;
    case 2:
      std::memcpy(&value, p, 2);
      break;
    case 4:
      std::memcpy(&value, p, 4);
      break;
    case 8:
      std::memcpy(&value, p, 8);
      break;
    default:
      std::memcpy(&value, p, size);
  }
  return value;
}

// Nothing more fits in: until there is a log again, accesses need not come here for it.
void log_is_full(Engine& e) {
  for (std::uint8_t& f : e.filter) f = static_cast<std::uint8_t>(f & ~kLogged);
}

// True if the place is a scheduling point.
bool access_point(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc) {
  Scheduler& s = *t.scheduler;
  Engine& e = *g_engine;
  if (write && (e.filter[Engine::filter_index(pc)] & kTold) && !in_own_frames(t, a)) s.disturbed(t);
  // Which of the places with that index it is must be looked up only if one of them is special.
  const std::uint8_t passed = e.filter[Engine::filter_index(pc)];
  const bool special = (passed & ~(kLogged | kLooked | kSkipped)) != 0 || e.resolve_site;
  const std::uint8_t flags = special ? e.site_flags(pc) : 0;
  const auto content = [&] { return content_of(a, size); };
  const EventKind kind = write ? EventKind::write : EventKind::read;
  const auto told = [&](Event* r) {
    if (!r || !may_read(a, size)) return;
    std::memcpy(write ? &r->old : &r->value, reinterpret_cast<const void*>(a), size);
    r->flags |= write ? kOldKnown : kValueKnown;
    if (write) t.last_write_event = s.recorder()->event_count();
  };
  if (t.fuel == 0 && !(flags & kPromoted)) {
    if (s.access_log()) t.seen = content();
    s.announce(t, kind, a, pc, static_cast<std::uint32_t>(size));
    told(s.forced_point(t));
    return false;
  }
  if (flags & kPromoted) {
    if (t.fuel == 0) s.refuel(t);  // it is a point anyway
    s.announce(t, kind, a, pc, static_cast<std::uint32_t>(size));
    if (write || !may_read(a, size))
      s.point(t);
    else
      s.look(t);
    const std::uint64_t value = !write || s.access_log() ? content() : 0;
    if (s.access_log()) t.seen = value;
    told(write ? s.performed(t, nullptr) : s.observed(t, nullptr, value));
    return true;
  }
  if (AccessLog* log = s.access_log(); log && (passed & kLogged)) {
    log->add(t.id, write ? Did::write : Did::read, a, pc, false, content());
    if (JOSTLE_UNLIKELY(log->truncated)) log_is_full(e);
  }
  if (!s.recording()) return false;
  // Not a point: only told. The pending operation must not change.
  const Op pending = t.pending;
  s.announce(t, kind, a, (flags & kWatched) ? pc : 0, static_cast<std::uint32_t>(size));
  Event* r = s.mark(t, kind, a, pc);
  t.pending = pending;
  told(r);
  return false;
}

void enter_access(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc) {
  if ((a & 7) + size > 8) return access_range(t, a, size, write, pc);
  RaceDetector& races = g_engine->races();
  Cell& c = *t.scheduler->shadow().cell(a);
  const auto mask = static_cast<std::uint8_t>(((1u << size) - 1) << (a & 7));
  if (g_engine->filter[Engine::filter_index(pc)] & kLooked) {
    g_engine->looked_at(pc);
    races.look_for_sharing(t, c, mask, write, pc);
  }
  if (!RaceDetector::known(t, c, mask, write))
    races.enter(t, c, a, static_cast<std::uint32_t>(size), write, pc);
}

}  // namespace

bool in_own_frames(const Thread& t, Address a) {
  const Carrier& c = carrier_of(t);
  return a >= reinterpret_cast<Address>(c.stack_low) &&
         a < reinterpret_cast<Address>(c.top) + Carrier::kReserve;
}

void access_slow(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc) {
  if (t.in_runtime) {
    if (t.fuel == 0) t.scheduler->refuel(t);
    return;
  }
  const bool point = access_point(t, a, size, write, pc);
  enter_access(t, a, size, write, pc);
  // What the thread does to the same bytes next may race too, and be no point yet.
  if (point) t.scheduler->tick(t);
}

bool was_written(const void* word) {
  return !t_self || g_engine->races().was_written(reinterpret_cast<Address>(word));
}

bool g_functions = false;
bool g_instrumented = false;

void enter_function(std::uint64_t pc) {
  Thread* t = self();
  if (!t) return attached::on ? attached::enter_function(pc) : void();
  if (const auto watcher = g_engine->function_watcher()) watcher(*t, pc, true);
  if (g_engine->is_sealed(*t, pc, true)) ++t->sealed;
}

void leave_function(std::uint64_t pc) {
  Thread* t = self();
  if (!t) return attached::on ? attached::leave_function(pc) : void();
  if (t->sealed > 0 && g_engine->is_sealed(*t, pc, true)) --t->sealed;
  if (const auto watcher = g_engine->function_watcher()) watcher(*t, pc, false);
}

namespace {

[[gnu::noinline]] void access_looked_at(Thread& t, Cell& c, Address a, std::uint32_t size,
                                        bool write, std::uint64_t pc) {
  g_engine->races().enter(t, c, a, size, write, pc);
}

}  // namespace

template <std::uint32_t kSize, bool kWrite>
void access_checked(Thread& t, Cell& c, Address a, std::uint64_t pc) {
  if (JOSTLE_UNLIKELY(t.in_runtime)) return;
  RaceDetector& races = g_engine->races();
  if (JOSTLE_UNLIKELY(races.collects_places())) return access_looked_at(t, c, a, kSize, kWrite, pc);
  if (!races.simple(t, c, RaceDetector::mask_of(a, kSize), kWrite, pc))
    return races.access(t, c, a, kSize, kWrite, pc);
}
template void access_checked<1, false>(Thread&, Cell&, Address, std::uint64_t);
template void access_checked<1, true>(Thread&, Cell&, Address, std::uint64_t);
template void access_checked<2, false>(Thread&, Cell&, Address, std::uint64_t);
template void access_checked<2, true>(Thread&, Cell&, Address, std::uint64_t);
template void access_checked<4, false>(Thread&, Cell&, Address, std::uint64_t);
template void access_checked<4, true>(Thread&, Cell&, Address, std::uint64_t);
template void access_checked<8, false>(Thread&, Cell&, Address, std::uint64_t);
template void access_checked<8, true>(Thread&, Cell&, Address, std::uint64_t);

void access_range(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc) {
  if (t.in_runtime) return;
  g_engine->races().range(t, a, size, write, pc);
}

}  // namespace jostle
