// Exceptions that travel between threads (std::exception_ptr, futures). Their reference counts
// live in the C++ library, which is not instrumented: without these edges the thread that drops
// the last reference would seem to race with those that dropped theirs before.
#include <dlfcn.h>

#include <exception>

#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

// Each count of an exception is an acquire-release operation on the exception object.
void counted(void* object) {
  Thread* t = self();
  if (!t || !object) return;
  Scheduler& s = *t->scheduler;
  Object* o = s.objects().find(at(object), ObjectKind::once);
  if (!o) o = &s.objects().add(at(object), ObjectKind::once);
  s.acquire(*t, o->released);
  s.release_join(*t, o->released);
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// void std::__exception_ptr::exception_ptr::_M_addref(), ::_M_release()
JOSTLE_EXPORT void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void** self_) noexcept {
  static const auto real_addref =
      next<void (*)(void**)>("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
  real_addref(self_);
  counted(*self_);
}
JOSTLE_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** self_) noexcept {
  static const auto real_release =
      next<void (*)(void**)>("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
  counted(*self_);
  real_release(self_);
}

// Leaving a handler drops a reference too.
JOSTLE_EXPORT void __cxa_end_catch() {
  static const auto real_end_catch = next<void (*)()>("__cxa_end_catch");
  if (self()) {
    const std::exception_ptr p = std::current_exception();
    counted(*reinterpret_cast<void* const*>(&p));
  }
  real_end_catch();
}
