// Locks of streams. They stay the C library's own, since its functions take them too; here is
// only the scheduling point. A thread that has to wait for one waits in a futex, which the trap
// turns into a modelled wait.
#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

Object& stream(Scheduler& s, FILE* f) {
  Object* o = s.objects().find(at(f), ObjectKind::once);
  return o ? *o : s.objects().add(at(f), ObjectKind::once);
}

}  // namespace

JOSTLE_EXPORT void flockfile(FILE* f) noexcept {
  real::ready();
  Thread* t = self();
  if (t) model::control_point(*t->scheduler, *t, JOSTLE_CALLER, at(f));
  real::flockfile(f);
  if (t) t->scheduler->acquire(*t, stream(*t->scheduler, f).released);
}
JOSTLE_EXPORT int ftrylockfile(FILE* f) noexcept {
  real::ready();
  Thread* t = self();
  if (t) model::control_point(*t->scheduler, *t, JOSTLE_CALLER, at(f));
  const int r = real::ftrylockfile(f);
  if (t && r == 0) t->scheduler->acquire(*t, stream(*t->scheduler, f).released);
  return r;
}
JOSTLE_EXPORT void funlockfile(FILE* f) noexcept {
  real::ready();
  if (Thread* t = self()) {
    model::control_point(*t->scheduler, *t, JOSTLE_CALLER, at(f));
    t->scheduler->release_join(*t, stream(*t->scheduler, f).released);
  }
  real::funlockfile(f);
}
