#include "sched/access_log.h"

#include "sched/object.h"

namespace jostle {

void AccessLog::performed(const Thread& t, const Object* o, Effect effect) {
  const Op& op = t.pending;
  switch (op.kind) {
    // A forced point has no effect itself, but the access follows before anybody else runs.
    case EventKind::read:
    case EventKind::atomic_load:
      return add(t.id, Did::read, op.address, op.pc, false, t.seen);
    case EventKind::write:
    case EventKind::atomic_store:
      return add(t.id, Did::write, op.address, op.pc, false, t.seen);
    case EventKind::atomic_rmw:
      return add(t.id, Did::write, op.address, op.pc, true, t.seen);
    case EventKind::atomic_cas:
      return add(t.id, t.seen == t.hoped ? Did::write : Did::read, op.address, op.pc, true, t.seen);
    default:
      break;
  }
  if (effect == Effect::nothing) return;
  switch (op.kind) {
    case EventKind::mutex_lock:
    case EventKind::spin_lock:
      if (o->owner == t.id && o->count == 1) add(t.id, Did::acquire, op.address, op.pc);
      break;
    case EventKind::cond_reacquire:
      if (o->owner == t.id) add(t.id, Did::acquire, op.address, op.pc);
      break;
    case EventKind::mutex_trylock:
    case EventKind::spin_trylock:
      if (effect == Effect::changed && o->owner == t.id && o->count == 1)
        add(t.id, Did::acquire, op.address, op.pc);
      break;
    case EventKind::mutex_unlock:
    case EventKind::spin_unlock:
      if (o->owner != t.id) add(t.id, Did::release, op.address, op.pc);
      break;
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_tryrdlock:
      if (effect == Effect::changed && !t.timed_out)
        add(t.id, Did::read_acquire, op.address, op.pc);
      break;
    case EventKind::rwlock_wrlock:
    case EventKind::rwlock_trywrlock:
      if (o->owner == t.id) add(t.id, Did::acquire, op.address, op.pc);
      break;
    case EventKind::rwlock_unlock:
      add(t.id, t.seen ? Did::release : Did::read_release, op.address, op.pc);
      break;
    case EventKind::cond_wait:
      add(t.id, Did::release, t.reacquire->address, op.pc);
      add(t.id, Did::wait, op.address, op.pc);
      break;
    case EventKind::cond_signal:
    case EventKind::cond_broadcast:
      add(t.id, Did::signal, op.address, op.pc, op.kind == EventKind::cond_broadcast);
      break;
    case EventKind::sem_post:
      add(t.id, Did::post, op.address, op.pc);
      break;
    case EventKind::sem_wait:
    case EventKind::sem_trywait:
      if (effect == Effect::changed && !t.timed_out) add(t.id, Did::take, op.address, op.pc);
      break;
    case EventKind::barrier_arrive:
      add(t.id, Did::arrive, op.address, op.pc);
      break;
    case EventKind::barrier_leave:
      add(t.id, Did::leave, op.address, op.pc);
      break;
    case EventKind::thread_join:
    case EventKind::thread_tryjoin:
      if (effect == Effect::changed && !t.timed_out) add(t.id, Did::join, t.wait_mask, op.pc);
      break;
    default:
      break;
  }
}

bool intends(const Thread& t, const Op& op, Intent& out) {
  Did did = Did::write;
  Address object = op.address;
  switch (op.kind) {
    case EventKind::read:
    case EventKind::atomic_load:
      did = Did::read;
      break;
    case EventKind::write:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
    case EventKind::atomic_cas:
      break;
    case EventKind::mutex_lock:
    case EventKind::mutex_trylock:
    case EventKind::spin_lock:
    case EventKind::spin_trylock:
    case EventKind::cond_reacquire:
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_tryrdlock:
    case EventKind::rwlock_wrlock:
    case EventKind::rwlock_trywrlock:
      did = Did::acquire;
      break;
    case EventKind::mutex_unlock:
    case EventKind::spin_unlock:
    case EventKind::rwlock_unlock:
      did = Did::release;
      break;
    case EventKind::cond_wait:
      did = Did::release;
      if (t.reacquire) object = t.reacquire->address;
      break;
    default:
      return false;
  }
  out = {site_key(op.pc, did), object, op.kind == EventKind::atomic_cas};
  return true;
}

}  // namespace jostle
