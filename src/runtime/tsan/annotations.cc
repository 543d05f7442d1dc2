// What code written with ThreadSanitizer in mind may say about itself.
#include "runtime/tsan/access.h"
#include "sched/model/model.h"

using namespace jostle;

namespace {

Object& annotated(Scheduler& s, const void* p) {
  const auto a = reinterpret_cast<Address>(p);
  Object* o = s.objects().find(a, ObjectKind::once);
  return o ? *o : s.objects().add(a, ObjectKind::once);
}

}  // namespace

// "What was released here before happens before what follows."
JOSTLE_EXPORT void __tsan_acquire(void* p) {
  if (Thread* t = self()) t->scheduler->acquire(*t, annotated(*t->scheduler, p).released);
}
JOSTLE_EXPORT void __tsan_release(void* p) {
  if (Thread* t = self()) t->scheduler->release_join(*t, annotated(*t->scheduler, p).released);
}

// Locks that the program builds itself out of atomics: Jostle sees the atomics.
JOSTLE_EXPORT void __tsan_mutex_create(void*, unsigned) {}
JOSTLE_EXPORT void __tsan_mutex_destroy(void*, unsigned) {}
JOSTLE_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {}
JOSTLE_EXPORT void __tsan_mutex_post_lock(void* p, unsigned, int) { __tsan_acquire(p); }
JOSTLE_EXPORT int __tsan_mutex_pre_unlock(void* p, unsigned) {
  __tsan_release(p);
  return 0;
}
JOSTLE_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {}
JOSTLE_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) {}
JOSTLE_EXPORT void __tsan_mutex_post_signal(void*, unsigned) {}
JOSTLE_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {}
JOSTLE_EXPORT void __tsan_mutex_post_divert(void*, unsigned) {}
