// Barriers. Arriving publishes what the thread knows; leaving learns what all of this round
// published. Rounds alternate between two clocks: a fast thread may arrive at the next round
// before a slow one has left this one.
#include <cerrno>

#include "sched/model/model.h"

namespace jostle::model {

int barrier_init(Scheduler& s, Thread& t, Address a, std::uint32_t count, std::uint64_t pc) {
  if (count == 0) return EINVAL;
  object_init(s, t, a, ObjectKind::barrier, pc);
  Object* o = s.objects().find(a, ObjectKind::barrier);
  (o ? *o : s.objects().add(a, ObjectKind::barrier)).limit = count;
  return 0;
}

int barrier_wait(Scheduler& s, Thread& t, Address a, std::uint64_t pc) {
  s.announce(t, EventKind::barrier_arrive, a, pc);
  s.point(t);
  Object* const found = s.objects().find(a, ObjectKind::barrier);
  if (!found) misuse(s, t, a, "a barrier is used that was not initialised in this execution");
  Object& o = *found;
  if (o.ended) misuse(s, t, a, "a barrier is used that was destroyed");
  Clock& clock = o.round & 1 ? o.reads : o.released;
  if (o.count == 0) clock.length = 0;
  s.release_join(t, clock);
  if (++o.count == o.limit) {
    o.count = 0;
    ++o.round;
    while (o.waiters > 0) s.wake(o, s.thread(o.first_waiter));
    s.performed(t, &o);
    s.acquire(t, clock);
    return -1;
  }
  s.performed(t, &o);
  s.announce(t, EventKind::barrier_leave, a, pc);
  // A handler of a signal takes the thread out of the queue.
  for (const std::uint64_t round = o.round; o.round == round;) s.wait_in(o, t, 0);
  s.acquire(t, clock);
  s.performed(t, &o);
  return 0;
}

}  // namespace jostle::model
