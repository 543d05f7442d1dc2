// Semaphores. The value lives where glibc keeps it, in the first word of the sem_t, so that
// sem_init and what earlier code did count.
#include <cerrno>
#include <climits>

#include "sched/model/model.h"

namespace jostle::model {
namespace {

Object& object(Scheduler& s, Address a) {
  Object* o = s.objects().find(a, ObjectKind::semaphore);
  return o ? *o : s.objects().add(a, ObjectKind::semaphore);
}

std::uint32_t& value(Address a) { return *reinterpret_cast<std::uint32_t*>(a); }

void update(Scheduler& s, Object& o) {
  refresh(s, o, [&](Thread&) { return sem_can(o); });
}

void take(Scheduler& s, Thread& t, Object& o) {
  t.seen = value(o.address);
  --value(o.address);
  s.acquire(t, o.released);
  update(s, o);
}

}  // namespace

bool sem_can(const Object& o) { return value(o.address) > 0; }

std::uint32_t sem_value(Address a) { return value(a); }

int sem_init(Scheduler& s, Thread& t, Address a, std::uint32_t first, std::uint64_t pc) {
  if (first > INT_MAX) return EINVAL;
  object_init(s, t, a, ObjectKind::semaphore, pc);
  value(a) = first;
  if (Object* o = s.objects().find(a, ObjectKind::semaphore)) update(s, *o);
  return 0;
}

int sem_wait(Scheduler& s, Thread& t, Address a, std::uint64_t pc, std::uint64_t deadline) {
  Object& o = object(s, a);
  if (is_over(s, t, deadline)) return sem_trywait(s, t, a, pc) == 0 ? 0 : time_was_up(s);
  s.announce(t, EventKind::sem_wait, a, pc);
  if (!wait_for(s, t, o, value(a) > 0, deadline)) {
    t.seen = 0;
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed | kTimedOut;
    return ETIMEDOUT;
  }
  if (value(a) == 0) {  // cancelled, or a handler of a signal has run
    if (Event* e = s.observed(t, &o, 0)) e->flags |= kFailed;
    return EINTR;
  }
  take(s, t, o);
  s.performed(t, &o);
  return 0;
}

int sem_trywait(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::sem_trywait, a, pc, 4);
  s.look(t);
  t.timed_out = false;
  if (value(a) == 0) {
    t.seen = 0;
    if (Event* e = s.observed(t, &o, 0)) e->flags |= kFailed;
    return EAGAIN;
  }
  take(s, t, o);
  s.performed(t, &o);
  return 0;
}

int sem_post(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  Object& o = object(s, a);
  s.announce(t, EventKind::sem_post, a, pc);
  s.point(t);
  t.seen = value(a);
  if (value(a) == INT_MAX) {
    if (Event* e = s.performed(t, &o)) e->flags |= kFailed;
    return EOVERFLOW;
  }
  s.release_join(t, o.released);
  __atomic_fetch_add(&value(a), 1, __ATOMIC_RELEASE);  // another process may be at it, too
  update(s, o);
  s.performed(t, &o);
  return 0;
}

int sem_getvalue(Scheduler& s, Thread& t, Address a, std::uint64_t pc, int* out) {
  Object& o = object(s, a);
  s.announce(t, EventKind::sem_getvalue, a, pc, 4);
  s.look(t);
  *out = static_cast<int>(value(a));
  t.seen = value(a);
  s.observed(t, &o, value(a));
  return 0;
}

}  // namespace jostle::model
