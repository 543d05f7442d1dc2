// Locks of streams. They stay the C library's own, since its functions take them too; here is
// only the scheduling point. A thread that has to wait for one waits in a futex, which the trap
// turns into a modelled wait.
#include "runtime/interpose/interpose.h"

using namespace jostle;

JOSTLE_EXPORT void flockfile(FILE* f) noexcept {
  real::ready();
  if (Thread* t = self()) model::control_point(*t->scheduler, *t, JOSTLE_CALLER);
  real::flockfile(f);
}
JOSTLE_EXPORT int ftrylockfile(FILE* f) noexcept {
  real::ready();
  if (Thread* t = self()) model::control_point(*t->scheduler, *t, JOSTLE_CALLER);
  return real::ftrylockfile(f);
}
JOSTLE_EXPORT void funlockfile(FILE* f) noexcept {
  real::ready();
  if (Thread* t = self()) model::control_point(*t->scheduler, *t, JOSTLE_CALLER);
  real::funlockfile(f);
}
