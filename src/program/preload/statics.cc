#include "runtime/interpose/interpose.h"
#include "runtime/start_point.h"

using namespace jostle;

extern "C" [[gnu::visibility("hidden")]] void* __dso_handle;

// What is to happen at the end of the program. Jostle's own objects live as long as the process:
// exit() would destroy them in every execution, and the next one uses them again.
JOSTLE_EXPORT int __cxa_atexit(void (*function)(void*), void* object, void* library) {
  if (library == static_cast<void*>(&__dso_handle)) return 0;
  real::ready();
  if (Thread* t = self()) use_exit_handlers(*t, JOSTLE_CALLER);
  return real::__cxa_atexit(function, object, library);
}
