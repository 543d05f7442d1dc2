// What mutexes and condition variables share: inline, because locking and unlocking are the most
// frequent things that programs do here.
#pragma once

#include "sched/model/model.h"

namespace jostle::model {

// At its first use.
Object& add_mutex(Scheduler& s, Address a, std::uint16_t type);

inline Object& mutex_object(Scheduler& s, Address a, std::uint16_t type) {
  Object* o = s.objects().find(a, ObjectKind::mutex);
  if (JOSTLE_LIKELY(o != nullptr)) {
    // A stack slot that now holds a mutex of another kind: the old one is gone.
    if (JOSTLE_LIKELY(o->type == type)) return *o;
    if (o->owner == kNoThread) o->type = type;
    return *o;
  }
  return add_mutex(s, a, type);
}

inline void mutex_take(Scheduler& s, Thread& t, Object& o, std::uint64_t pc) {
  o.owner = t.id;
  o.count = 1;
  o.acquired_pc = pc;
  refresh(s, o, [](Thread&) { return false; });
  s.acquire(t, o.released);
}

// By who has not made consistent what a dead one has left, and gives it back.
inline void mutex_give_up(Object& o) {
  if (JOSTLE_LIKELY(!o.dead_owner)) return;
  o.dead_owner = false;
  o.unrecoverable = true;
}

inline void mutex_give(Scheduler& s, Thread& t, Object& o) {
  s.release(t, o.released);
  o.owner = kNoThread;
  refresh(s, o, [](Thread&) { return true; });
}

}  // namespace jostle::model
