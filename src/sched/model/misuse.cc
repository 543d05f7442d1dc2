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

}  // namespace jostle::model
