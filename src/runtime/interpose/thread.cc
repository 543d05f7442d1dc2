#include <dlfcn.h>
#include <sys/syscall.h>
#include <unwind.h>

#include <cstring>

#include "runtime/interpose/interpose.h"
#include "runtime/signal_model.h"
#include "runtime/system_call.h"
#include "runtime/thread_names.h"

using namespace jostle;

namespace jostle {
namespace {

// To the innermost handler that C code has pushed; those further out follow when that has run.
void clean_up(Thread& t) {
  auto* buffer = static_cast<__pthread_unwind_buf_t*>(t.cleanup);
  t.cleanup = buffer->__pad[0];
  _longjmp(reinterpret_cast<__jmp_buf_tag*>(buffer->__cancel_jmp_buf), 1);
}

_Unwind_Reason_Code stop(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                         _Unwind_Context* context, void* arg) {
  auto& t = *static_cast<Thread*>(arg);
  const void* buffer = t.cleanup;
  const bool end =
      (actions & _UA_END_OF_STACK) != 0 ||
      _Unwind_GetRegionStart(context) == reinterpret_cast<Address>(&Engine::outermost_frame);
  // The frame about to be left holds the innermost C cleanup buffer: its handlers come first.
  if (buffer && (end || reinterpret_cast<Address>(buffer) < _Unwind_GetCFA(context))) clean_up(t);
  if (end) g_engine->end_thread(t);
  return _URC_NO_REASON;
}

void unwind(Thread& t) {
  static thread_local _Unwind_Exception exception;
  std::memset(&exception, 0, sizeof exception);
  _Unwind_ForcedUnwind(&exception, &stop, &t);
  g_engine->end_thread(t);  // no unwind information further out
}

}  // namespace

void exit_thread(Thread& t, void* result) {
  t.result = result;
  t.exiting = true;
  unwind(t);
  __builtin_unreachable();
}

void act_on_cancellation(Thread& t) {
  t.scheduler->mark(t, EventKind::cancelled, 0, t.pending.pc);
  exit_thread(t, PTHREAD_CANCELED);
}

void end_here(Thread& t) {
  t.scheduler->mark(t, EventKind::cancelled, 0, t.pending.pc);
  t.result = PTHREAD_CANCELED;
  t.exiting = true;
  if (t.cleanup) clean_up(t);
  g_engine->end_thread(t);
}

}  // namespace jostle

JOSTLE_EXPORT int pthread_create(pthread_t* out, const pthread_attr_t* attr, void* (*start)(void*),
                                 void* argument) noexcept {
  Thread* t = self();
  if (!t) {
    outside(EventKind::thread_create, out, JOSTLE_CALLER);
    start = attached::wrap(start, argument);
    return real::pthread_create(out, attr, start, argument);
  }
  int state = PTHREAD_CREATE_JOINABLE;
  std::size_t stack = 0;
  if (attr) {
    pthread_attr_getdetachstate(attr, &state);
    pthread_attr_getstacksize(attr, &stack);
  }
  Thread* n = g_engine->start_thread(*t, start, argument, stack, state == PTHREAD_CREATE_DETACHED,
                                     JOSTLE_CALLER, out);
  if (!n && g_engine->carriers().used() == kMaxThreads)
    g_engine->uncontrolled("threads: there were too many, so one was not created", JOSTLE_CALLER);
  return n ? 0 : EAGAIN;
}

namespace {

int join(pthread_t handle, void** result, std::uint64_t until, std::uint64_t pc) {
  Thread& t = *self();
  cancellation_point(t);
  Thread* target = g_engine->find_thread(handle);
  if (!target) return ESRCH;
  const int r = model::thread_join(*t.scheduler, t, *target, pc, until);
  if (r == EINTR) cancellation_point(t);
  if (r == 0 && result) *result = target->result;
  return r;
}

}  // namespace

JOSTLE_EXPORT int pthread_join(pthread_t handle, void** result) {
  if (self()) return join(handle, result, 0, JOSTLE_CALLER);
  outside(EventKind::thread_join, reinterpret_cast<void*>(handle), JOSTLE_CALLER);
  return real::pthread_join(handle, result);
}
JOSTLE_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* ts) {
  if (!self()) return real::ready(), real::pthread_timedjoin_np(handle, result, ts);
  if (ts && !valid(ts)) return EINVAL;
  return join(handle, result, ts ? deadline(CLOCK_REALTIME, ts) : 0, JOSTLE_CALLER);
}
JOSTLE_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                       const timespec* ts) {
  if (!self()) return real::ready(), real::pthread_clockjoin_np(handle, result, clock, ts);
  if (!valid(clock) || (ts && !valid(ts))) return EINVAL;
  return join(handle, result, ts ? deadline(clock, ts) : 0, JOSTLE_CALLER);
}
JOSTLE_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_tryjoin_np(handle, result);
  Thread* target = g_engine->find_thread(handle);
  if (!target) return ESRCH;
  const int r = model::thread_tryjoin(*t->scheduler, *t, *target, JOSTLE_CALLER);
  if (r == 0 && result) *result = target->result;
  return r;
}
JOSTLE_EXPORT int pthread_detach(pthread_t handle) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_detach(handle);
  Thread* target = g_engine->find_thread(handle);
  return target ? model::thread_detach(*t->scheduler, *t, *target, JOSTLE_CALLER) : ESRCH;
}
// The C library knows of the thread that carries it, and that one is never detached.
JOSTLE_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t* out) noexcept {
  real::ready();
  const int r = real::pthread_getattr_np(handle, out);
  const Thread* target = r == 0 && self() ? g_engine->find_thread(handle) : nullptr;
  if (target && target->detached) pthread_attr_setdetachstate(out, PTHREAD_CREATE_DETACHED);
  return r;
}
JOSTLE_EXPORT void pthread_exit(void* result) {
  if (Thread* t = self()) exit_thread(*t, result);
  real::ready();
  real::pthread_exit(result);
  __builtin_unreachable();
}
JOSTLE_EXPORT int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_setname_np(handle, name);
  Thread* target = g_engine->find_thread(handle);
  if (!target) return ESRCH;
  if (std::strlen(name) >= kNameSize) return ERANGE;
  set_name(*target, name);
  return 0;
}
JOSTLE_EXPORT int pthread_getname_np(pthread_t handle, char* name, std::size_t size) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_getname_np(handle, name, size);
  Thread* target = g_engine->find_thread(handle);
  if (!target) return ESRCH;
  if (size < kNameSize) return ERANGE;
  if (const char* given = name_of(*target)) return std::strcpy(name, given), 0;
  return real::pthread_getname_np(handle, name, size);
}

// The C library keeps some for itself.
constexpr int kFirstOfTheLibrary = 32;

// Each carrier is a real thread with a number of its own.
JOSTLE_EXPORT pid_t gettid() noexcept {
  if (Thread* t = self()) return static_cast<pid_t>(model_system_call(*t, {SYS_gettid, {}, 0}));
  return static_cast<pid_t>(system_call(SYS_gettid));
}
JOSTLE_EXPORT int pthread_kill(pthread_t handle, int number) noexcept {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_kill(handle, number);
  Thread* target = g_engine->find_thread(handle);
  if (!target || target->joined) return ESRCH;
  if (number >= kFirstOfTheLibrary && number < SIGRTMIN) return EINVAL;
  return static_cast<int>(-send_signal(*t, *target, number, JOSTLE_CALLER));
}

// --- cancellation ----------------------------------------------------------------------------

JOSTLE_EXPORT int pthread_cancel(pthread_t handle) {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_cancel(handle);
  Thread* target = g_engine->find_thread(handle);
  if (!target) return ESRCH;
  const int r = model::thread_cancel(*t->scheduler, *t, *target, JOSTLE_CALLER);
  if (target == t)
    cancelled_asynchronously(*t);
  else if (target->cancel_async && !target->finished && model::cancelled(*target) &&
           !model::waits_at_cancellation_point(*target))
    interrupt(*target);
  return r;
}
JOSTLE_EXPORT int pthread_setcancelstate(int state, int* old) {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_setcancelstate(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  if (old) *old = t->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  t->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
  cancelled_asynchronously(*t);
  return 0;
}
JOSTLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_setcanceltype(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  if (old) *old = t->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  t->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  cancelled_asynchronously(*t);
  return 0;
}
JOSTLE_EXPORT void pthread_testcancel() {
  Thread* t = self();
  if (!t) return real::ready(), real::pthread_testcancel();
  model::control_point(*t->scheduler, *t, JOSTLE_CALLER);
  cancellation_point(*t);
}
JOSTLE_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  Thread* t = self();
  if (!t) return real::ready(), real::__pthread_register_cancel(buffer);
  buffer->__pad[0] = t->cleanup;
  t->cleanup = buffer;
}
JOSTLE_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  Thread* t = self();
  if (!t) return real::ready(), real::__pthread_unregister_cancel(buffer);
  t->cleanup = buffer->__pad[0];
}
// The same for a part that is cancelled only where it looks whether it is.
JOSTLE_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t* buffer) {
  Thread* t = self();
  if (!t) return real::ready(), real::__pthread_register_cancel_defer(buffer);
  buffer->__pad[0] = t->cleanup;
  buffer->__pad[1] = t->cancel_async ? buffer : nullptr;
  t->cleanup = buffer;
  t->cancel_async = false;
}
JOSTLE_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* buffer) {
  Thread* t = self();
  if (!t) return real::ready(), real::__pthread_unregister_cancel_restore(buffer);
  t->cleanup = buffer->__pad[0];
  t->cancel_async = buffer->__pad[1] != nullptr;
  cancelled_asynchronously(*t);
}
JOSTLE_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  if (Thread* t = self()) exit_thread(*t, t->result);
  real::ready();
  real::__pthread_unwind_next(buffer);
  __builtin_unreachable();
}

// --- whoever looks for the originals
// ---------------------------------------------------------------
//
// A library that wraps these, or wants to pass by such a wrapper, asks for the next one after
// itself. It would get the C library's, and its threads would run without control.

namespace {

// Where the program defines one of them, its name means the program's. So these have others.
#define JOSTLE_OWN(name, ...)                              \
  extern "C" __VA_ARGS__ decltype(::name) name##_of_jostle \
      __attribute__((alias(#name), visibility("hidden")));
JOSTLE_OWN(pthread_create)
JOSTLE_OWN(pthread_join)
JOSTLE_OWN(pthread_tryjoin_np)
JOSTLE_OWN(pthread_timedjoin_np)
JOSTLE_OWN(pthread_clockjoin_np)
JOSTLE_OWN(pthread_detach)
JOSTLE_OWN(pthread_exit, [[noreturn]])
#undef JOSTLE_OWN

struct ThreadFunction {
  const char* name;
  void* original;
  void* ours;
};

const void* library_of(const void* function) {
  Dl_info info{};
  return function && dladdr(function, &info) ? info.dli_fbase : nullptr;
}

// If somebody else has put a wrapper after ours, it asks for what comes after itself.
bool is_the_c_library(const void* function) {
  const void* known = real::original_dlsym()(RTLD_DEFAULT, "gnu_get_libc_version");
  return library_of(function) == library_of(known);
}

}  // namespace

// What dlsym() gives; null: ask the original, as if from where it was called.
extern "C" __attribute__((visibility("hidden"), used)) void* jostle_instead_of(void* handle,
                                                                               const char* name) {
  if (handle == RTLD_DEFAULT || std::strncmp(name, "pthread_", 8) != 0) return nullptr;
  real::ready();
#define JOSTLE_OWN(name) \
  {#name, reinterpret_cast<void*>(real::name), reinterpret_cast<void*>(&name##_of_jostle)}
  const ThreadFunction functions[] = {
      JOSTLE_OWN(pthread_create),       JOSTLE_OWN(pthread_join),
      JOSTLE_OWN(pthread_tryjoin_np),   JOSTLE_OWN(pthread_timedjoin_np),
      JOSTLE_OWN(pthread_clockjoin_np), JOSTLE_OWN(pthread_detach),
      JOSTLE_OWN(pthread_exit)};
#undef JOSTLE_OWN
  for (const ThreadFunction& f : functions) {
    if (std::strcmp(name, f.name) != 0) continue;
    const bool it = handle == RTLD_NEXT ? is_the_c_library(f.original)
                                        : real::original_dlsym()(handle, name) == f.original;
    return it ? f.ours : nullptr;
  }
  return nullptr;
}

extern "C" __attribute__((visibility("hidden"), used)) void* jostle_original_dlsym() {
  return reinterpret_cast<void*>(real::original_dlsym());
}

// The original looks at its return address to know who asks.
asm(R"(
.text
.globl dlsym
.type dlsym,@function
dlsym:
  .cfi_startproc
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call jostle_instead_of
  testq %rax, %rax
  jnz 1f
  call jostle_original_dlsym
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdi
  addq $24, %rsp
  .cfi_adjust_cfa_offset -24
  jmp *%rax
1:
  .cfi_adjust_cfa_offset 24
  addq $24, %rsp
  .cfi_adjust_cfa_offset -24
  ret
  .cfi_endproc
.size dlsym,.-dlsym
)");
