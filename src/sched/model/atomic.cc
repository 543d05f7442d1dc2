// Atomics: sequentially consistent in what they do, exact in what they order: a relaxed load
// teaches nothing until a fence, a release store publishes, a read-modify-write continues the
// release sequence.
#include <atomic>

#include "sched/model/model.h"

namespace jostle::model {
namespace {

bool acquires(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

void learn(Scheduler& s, Thread& t, Object& o, int order) {
  if (o.released.length == 0) return;
  if (acquires(order)) {
    s.acquire(t, o.released);
  } else {  // kept for a fence
    Clock c{t.acquire_pending, t.acquire_length, t.acquire_pending ? t.acquire_length : 0};
    s.join_into(c, o.released.at, o.released.length);
    t.acquire_pending = c.at;
    t.acquire_length = c.length;
  }
}

void remember(Scheduler& s, Thread& t, Clock& c) {
  s.room(c);
  while (c.length <= t.id) c.at[c.length++] = s.base();
  c.at[t.id] = t.epoch;
}

}  // namespace

Object& atomic_before(Scheduler& s, Thread& t, EventKind kind, Address a, std::uint32_t size,
                      int order, std::uint64_t pc) {
  s.announce(t, kind, a, pc, size, static_cast<std::uint8_t>(order));
  s.look(t);
  Object* o = s.objects().find(a, ObjectKind::atomic);
  if (JOSTLE_LIKELY(o != nullptr)) return *o;
  Object& n = s.objects().add(a, ObjectKind::atomic);
  n.limit = size;
  return n;
}

void atomic_loaded(Scheduler& s, Thread& t, Object& o, int order, std::uint64_t value) {
  learn(s, t, o, order);
  remember(s, t, o.reads);
  o.read_pc = t.pending.pc;
  t.seen = value;
  if (Event* e = s.observed(t, &o, value)) {
    e->value = value;
    e->flags |= kValueKnown;
  }
}

void atomic_stored(Scheduler& s, Thread& t, Object& o, int order, std::uint64_t old,
                   std::uint64_t value) {
  remember(s, t, o.writes);
  o.write_pc = t.pending.pc;
  t.seen = old;
  if (releases(order)) {
    s.release(t, o.released);
  } else if (t.release_fence) {
    o.released.length = 0;
    s.join_into(o.released, t.release_fence, t.release_length);
  } else {
    o.released.length = 0;
  }
  // A store of what is there already tells nobody anything: a loop of it is a spin.
  if (old != value) s.changes(t, o, old, value);
  Event* e = old == value ? s.observed(t, &o, value) : s.performed(t, &o);
  if (e) {
    e->value = value;
    e->old = old;
    e->flags |= kValueKnown | kOldKnown;
  }
}

void atomic_updated(Scheduler& s, Thread& t, Object& o, int order, std::uint64_t old,
                    std::uint64_t value) {
  learn(s, t, o, order);
  remember(s, t, o.reads);
  remember(s, t, o.writes);
  o.write_pc = o.read_pc = t.pending.pc;
  t.seen = old;
  if (releases(order))
    s.release_join(t, o.released);
  else if (t.release_fence)
    s.join_into(o.released, t.release_fence, t.release_length);
  if (old != value) s.changes(t, o, old, value);
  Event* e = old == value ? s.observed(t, &o, value) : s.performed(t, &o);
  if (e) {
    e->value = value;
    e->old = old;
    e->flags |= kValueKnown | kOldKnown;
  }
}

void atomic_cas_failed(Scheduler& s, Thread& t, Object& o, int order, std::uint64_t seen,
                       bool spurious) {
  learn(s, t, o, order);
  remember(s, t, o.reads);
  o.read_pc = t.pending.pc;
  t.seen = seen;
  if (Event* e = spurious ? s.performed(t, &o) : s.observed(t, &o, seen)) {
    e->value = seen;
    e->flags =
        static_cast<std::uint8_t>(e->flags | kFailed | kValueKnown | (spurious ? kSpurious : 0));
  }
}

void atomic_fence(Scheduler& s, Thread& t, int order, std::uint64_t pc) {
  s.announce(t, EventKind::fence, 0, pc, 0, static_cast<std::uint8_t>(order));
  s.point(t);
  if (acquires(order) && t.acquire_pending) {
    for (std::uint32_t i = 0; i < t.acquire_length; ++i)
      if (t.acquire_pending[i] > t.clock[i]) t.clock[i] = t.acquire_pending[i];
  }
  if (releases(order)) {
    Clock c{};
    s.release(t, c);
    t.release_fence = c.at;
    t.release_length = c.length;
  }
  s.noted(t);
}

}  // namespace jostle::model
