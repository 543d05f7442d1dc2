#include <cstdarg>
#include <cstdio>

#include "sched/model/model.h"

namespace jostle::model {

void misuse(Scheduler& s, Thread& t, Address a, const char* format, ...) {
  if (s.recording()) s.mark(t, t.pending.kind, a, t.pending.pc);
  Problem& p = s.problem();
  p = {};
  p.kind = FindingKind::misuse;
  p.place = {t.id, t.pending.kind, t.pending.pc, s.recording() ? s.recorder()->event_count() : 0};
  p.address = a;
  va_list args;
  va_start(args, format);
  std::vsnprintf(p.message, sizeof p.message, format, args);
  va_end(args);
  s.fail(t, p);
}

bool wait_for(Scheduler& s, Thread& t, Object& o, bool available, std::uint64_t deadline) {
  t.timed_out = false;
  t.resume = nullptr;
  if (!available && deadline && deadline <= s.now()) {
    s.point(t);
    t.timed_out = true;
    return false;
  }
  o.pending.add(t.id);
  t.deadline = deadline;
  t.waiting_on = &o;
  if (available) {
    s.point(t);
  } else {
    s.disable(t, Wait::lock);
    if (deadline) s.arm(t, deadline);
    s.block(t);
  }
  t.waiting_on = nullptr;
  t.deadline = 0;
  o.pending.remove(t.id);
  return !t.timed_out;
}

}  // namespace jostle::model
