// Hooks that the compilers call before plain accesses (-fsanitize=thread).
#include <cstring>

#include "runtime/tsan/access.h"

using jostle::access;

#define JOSTLE_PLAIN(n)                                                                        \
  JOSTLE_EXPORT void __tsan_read##n(void* a) { access<n, false>(a, JOSTLE_CALLER); }           \
  JOSTLE_EXPORT void __tsan_write##n(void* a) { access<n, true>(a, JOSTLE_CALLER); }           \
  JOSTLE_EXPORT void __tsan_unaligned_read##n(void* a) { access<n, false>(a, JOSTLE_CALLER); } \
  JOSTLE_EXPORT void __tsan_unaligned_write##n(void* a) { access<n, true>(a, JOSTLE_CALLER); } \
  JOSTLE_EXPORT void __tsan_volatile_read##n(void* a) { access<n, false>(a, JOSTLE_CALLER); }  \
  JOSTLE_EXPORT void __tsan_volatile_write##n(void* a) { access<n, true>(a, JOSTLE_CALLER); }  \
  JOSTLE_EXPORT void __tsan_unaligned_volatile_read##n(void* a) {                              \
    access<n, false>(a, JOSTLE_CALLER);                                                        \
  }                                                                                            \
  JOSTLE_EXPORT void __tsan_unaligned_volatile_write##n(void* a) {                             \
    access<n, true>(a, JOSTLE_CALLER);                                                         \
  }                                                                                            \
  JOSTLE_EXPORT void __tsan_read_write##n(void* a) {                                           \
    access<n, false>(a, JOSTLE_CALLER);                                                        \
    access<n, true>(a, JOSTLE_CALLER);                                                         \
  }                                                                                            \
  JOSTLE_EXPORT void __tsan_unaligned_read_write##n(void* a) {                                 \
    access<n, false>(a, JOSTLE_CALLER);                                                        \
    access<n, true>(a, JOSTLE_CALLER);                                                         \
  }
JOSTLE_PLAIN(1)
JOSTLE_PLAIN(2)
JOSTLE_PLAIN(4)
JOSTLE_PLAIN(8)
JOSTLE_PLAIN(16)
#undef JOSTLE_PLAIN

JOSTLE_EXPORT void __tsan_read_range(void* a, std::size_t n) { access(a, n, false, JOSTLE_CALLER); }
JOSTLE_EXPORT void __tsan_write_range(void* a, std::size_t n) { access(a, n, true, JOSTLE_CALLER); }

// A constructor or destructor sets the vtable pointer; setting it to what it is disturbs nobody.
// But what is there before an object is built is left over, perhaps from the same object of an
// earlier execution: a step that comes or not for that could not be replayed.
JOSTLE_EXPORT void __tsan_vptr_update(void** a, void* value) {
  void* const at = static_cast<void*>(a);
  if (*a != value || !jostle::was_written(at)) access<8, true>(at, JOSTLE_CALLER);
}
JOSTLE_EXPORT void __tsan_vptr_read(void** a) {
  access<8, false>(static_cast<void*>(a), JOSTLE_CALLER);
}

// Only of interest where the user has sealed functions, and to scripts.
JOSTLE_EXPORT void __tsan_func_entry(void*) {
  if (JOSTLE_UNLIKELY(jostle::g_functions)) jostle::enter_function(JOSTLE_CALLER);
}
JOSTLE_EXPORT void __tsan_func_exit() {
  if (JOSTLE_UNLIKELY(jostle::g_functions)) jostle::leave_function(JOSTLE_CALLER);
}
JOSTLE_EXPORT void __tsan_init() { jostle::g_instrumented = true; }
JOSTLE_EXPORT void __tsan_ignore_thread_begin() {}
JOSTLE_EXPORT void __tsan_ignore_thread_end() {}

JOSTLE_EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  access(from, n, false, JOSTLE_CALLER);
  access(to, n, true, JOSTLE_CALLER);
  return std::memcpy(to, from, n);
}
JOSTLE_EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  access(from, n, false, JOSTLE_CALLER);
  access(to, n, true, JOSTLE_CALLER);
  return std::memmove(to, from, n);
}
JOSTLE_EXPORT void* __tsan_memset(void* to, int value, std::size_t n) {
  access(to, n, true, JOSTLE_CALLER);
  return std::memset(to, value, n);
}
