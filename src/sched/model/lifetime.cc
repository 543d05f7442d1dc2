// The beginning and the end of synchronisation objects. Both are operations like any other: what
// others do to the object before or after may be another thing. An object that somebody still needs
// must neither end nor begin anew.
#include <cstdio>

#include "sched/model/model.h"

namespace jostle::model {
namespace {

const char* noun_of(ObjectKind k) {
  switch (k) {
    case ObjectKind::mutex:
      return "a mutex";
    case ObjectKind::cond:
      return "a condition variable";
    case ObjectKind::rwlock:
      return "a reader-writer lock";
    case ObjectKind::spin:
      return "a spin lock";
    case ObjectKind::barrier:
      return "a barrier";
    default:
      return "a semaphore";
  }
}

struct Use {
  char text[64];  // "": nobody needs it
};

Use use_of(const Object& o) {
  Use use{""};
  const auto waiting = [&](std::uint32_t n, const char* where) {
    std::snprintf(use.text, sizeof use.text, "%u thread%s %s", n, n == 1 ? " waits" : "s wait",
                  where);
  };
  switch (o.kind) {
    case ObjectKind::mutex:
    case ObjectKind::spin:
      if (o.owner != kNoThread)
        std::snprintf(use.text, sizeof use.text, "thread T%u holds it", o.owner);
      break;
    case ObjectKind::rwlock:
      if (o.owner != kNoThread || o.count > 0)
        std::snprintf(use.text, sizeof use.text, "it is held");
      break;
    case ObjectKind::cond:
      if (o.waiters > 0) waiting(o.waiters, "on it");
      break;
    case ObjectKind::barrier:
      if (o.count > 0) waiting(o.count, "at it");
      break;
    default:
      break;
  }
  return use;
}

// Whoever held it has ended, or is the one who makes it anew: after a fork that is how a child gets
// rid of a lock that its parent held.
bool given_up(Scheduler& s, const Thread& by, const Object& o) {
  const bool owned = o.kind == ObjectKind::mutex || o.kind == ObjectKind::spin;
  if (!owned || o.owner == kNoThread) return false;
  const Thread& owner = s.thread(o.owner);
  return o.owner == by.id || owner.finished || owner.elsewhere;
}

}  // namespace

void object_init(Scheduler& s, Thread& t, Address a, ObjectKind kind, std::uint64_t pc) {
  s.announce(t, EventKind::object_init, a, pc, 0, static_cast<std::uint8_t>(kind));
  s.point(t);
  t.seen = kind == ObjectKind::semaphore ? sem_value(a) : 0;
  Object* const o = s.objects().find(a, kind);
  if (!o) {
    s.performed(t, nullptr);
    return;
  }
  if (const Use use = use_of(*o); use.text[0] && !given_up(s, t, *o))
    misuse(s, t, a, "%s is initialised while %s", noun_of(kind), use.text);
  if (const ThreadId waits = o->pending.first();
      waits != kNoThread && kind == ObjectKind::semaphore && !s.enabled(s.thread(waits)))
    misuse(s, t, a, "%s is initialised while thread T%u waits for it", noun_of(kind), waits);
  // Who is about to use it finds the new one.
  s.objects().renew(*o);
  o->pending.each([&](ThreadId i) {
    Thread& w = s.thread(i);
    if (s.enabled(w) || !can_take(s, *o, w.pending.kind)) return;
    s.disarm(w);
    s.enable(w);
  });
  s.performed(t, o);
}

void object_destroy(Scheduler& s, Thread& t, Address a, ObjectKind kind, std::uint64_t pc) {
  s.announce(t, EventKind::object_destroy, a, pc, 0, static_cast<std::uint8_t>(kind));
  s.point(t);
  t.seen = 0;
  Object* const o = s.objects().find(a, kind);
  if (!o) {
    s.performed(t, nullptr);
    return;
  }
  if (const Use use = use_of(*o); use.text[0])
    misuse(s, t, a, "%s is destroyed while %s", noun_of(kind), use.text);
  if (const ThreadId user = o->pending.first(); user != kNoThread)
    misuse(s, t, a, "%s is destroyed while thread T%u is %s it", noun_of(kind), user,
           kind == ObjectKind::semaphore ? "waiting for" : "locking");
  s.performed(t, o);
  if (kind == ObjectKind::barrier)
    o->ended = true;  // whoever uses it now is told so
  else
    o->kind = ObjectKind::none;
}

}  // namespace jostle::model
