// The ways in which a program ends itself.
#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include "runtime/creation.h"
#include "runtime/family.h"
#include "runtime/free_children.h"
#include "runtime/heap.h"
#include "runtime/interpose/interpose.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"

using namespace jostle;

extern "C" FILE* _IO_list_all;

namespace {

// The exception that is being handled, told by its type and what(). Nobody caught it, if it is the
// C++ library that ends the program.
[[noreturn]] void with_exception(Thread& t, const char* head, const std::type_info& type,
                                 std::uint64_t pc) {
  InRuntime guard(t);
  char message[400];
  int status = -1;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  const char* what = nullptr;
  try {
    throw;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = nullptr;  // of no standard type
  }
  std::snprintf(message, sizeof message, "%s exception of type %s%s%s", head,
                status == 0 ? name : type.name(), what ? ": " : "", what ? what : "");
  g_engine->fail(t, FindingKind::exception, pc, nullptr, 0, message);
}

const auto kLibrarysHandler =
    reinterpret_cast<std::uint64_t>(&__gnu_cxx::__verbose_terminate_handler);

// Is that the library which throws and catches?
bool in_cxx_library(Thread& t, std::uint64_t pc) {
  InRuntime guard(t);
  Dl_info caller = {}, library = {};
  void* const known = dlsym(RTLD_DEFAULT, "__cxa_throw");
  return known && dladdr(known, &library) && dladdr(reinterpret_cast<void*>(pc), &caller) &&
         caller.dli_fbase == library.dli_fbase;
}

}  // namespace

JOSTLE_EXPORT void abort() noexcept {
  Thread* t = self();
  if (!t) {
    real::ready();
    real::abort();
    __builtin_unreachable();
  }
  const std::uint64_t pc = JOSTLE_CALLER;
  // The library's handler says it only once in a process, and then calls from another place.
  if (const std::type_info* type = abi::__cxa_current_exception_type())
    with_exception(*t, "uncaught", *type, in_cxx_library(*t, pc) ? kLibrarysHandler + 1 : pc);
  if (const int crash = crash_being_handled()) {
    char message[120];
    std::snprintf(message, sizeof message, "%s, and its handler called abort()",
                  signal_text(crash));
    g_engine->fail(*t, FindingKind::crash, pc, nullptr, 0, message,
                   static_cast<std::uint32_t>(crash));
  }
  g_engine->fail(*t, FindingKind::assertion, pc, nullptr, 0, "abort() was called");
}

// std::terminate(), called by code such as the destructor of a joinable std::thread.
JOSTLE_EXPORT void _ZSt9terminatev() noexcept {
  Thread* t = self();
  if (!t) {
    std::get_terminate()();
    abort();
  }
  const std::uint64_t pc = JOSTLE_CALLER;
  const bool by_library = in_cxx_library(*t, pc);
  // Why code calls it is told later, when symbols are at hand: see explore/terminate.h.
  if (const std::type_info* type = abi::__cxa_current_exception_type())
    with_exception(*t, by_library ? "uncaught" : "std::terminate() was called while handling an",
                   *type, pc);
  g_engine->fail(*t, FindingKind::exception, pc, nullptr, 0,
                 by_library ? "std::terminate() was called by the C++ library (throw; without an "
                              "exception to throw again, or a pure virtual function was called)"
                 : std::uncaught_exceptions() > 0
                     ? "std::terminate() was called while an exception was on its way"
                     : "std::terminate() was called");
}

JOSTLE_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line,
                                 const char* function) noexcept {
  Thread* t = self();
  if (!t) {
    real::ready();
    real::__assert_fail(expression, file, line, function);
    __builtin_unreachable();
  }
  char message[400];
  std::snprintf(message, sizeof message, "assertion `%s` failed", expression);
  g_engine->fail(*t, FindingKind::assertion, JOSTLE_CALLER, file, line, message);
}

namespace {

// In a whole program that is its business; a test body must not.
[[noreturn]] void left(Thread& t, int status, std::uint64_t pc) {
  if (start_carrier()) g_engine->exited(t, status, pc);
  char message[80];
  std::snprintf(message, sizeof message, "the program ended itself with exit code %d", status);
  g_engine->fail(t, FindingKind::exit_code, pc, nullptr, 0, message,
                 static_cast<std::uint32_t>(status));
}

}  // namespace

JOSTLE_EXPORT void exit(int status) noexcept {
  // A program's exit handlers and destructors of static objects belong to the execution.
  if (Thread* t = self()) {
    if (!start_carrier()) left(*t, status, JOSTLE_CALLER);
    g_engine->leaving_from(JOSTLE_CALLER);
    use_exit_handlers(*t, JOSTLE_CALLER);
  }
  real::ready();
  real::exit(status);
  __builtin_unreachable();
}
JOSTLE_EXPORT void _exit(int status) {
  if (Thread* t = self()) left(*t, status, JOSTLE_CALLER);
  real::ready();
  real::_exit(status);
  __builtin_unreachable();
}
JOSTLE_EXPORT void _Exit(int status) noexcept {
  if (Thread* t = self()) left(*t, status, JOSTLE_CALLER);
  real::ready();
  real::_exit(status);
  __builtin_unreachable();
}
JOSTLE_EXPORT void quick_exit(int status) noexcept {
  if (Thread* t = self(); t && !start_carrier()) left(*t, status, JOSTLE_CALLER);
  real::ready();
  real::quick_exit(status);
  __builtin_unreachable();
}

namespace {

// What libc does after the last handler, without the system call that ends a process: catching that
// takes longer than all of this. A stream with wide characters is left to libc.
void after_the_last_handler(int status, void*) {
  Thread* t = self();
  if (!t || !start_carrier()) return;
  for (const FILE* f = _IO_list_all; f; f = f->_chain)
    if (f->_mode > 0) return;
  for (FILE* f = _IO_list_all; f; f = f->_chain)
    if (f->_IO_write_ptr > f->_IO_write_base) fflush_unlocked(f);
  left(*t, status, 0);
}

}  // namespace

namespace jostle {

void expect_exit() { on_exit(&after_the_last_handler, nullptr); }

static char exit_handlers;  // its name is what reports show

void use_exit_handlers(Thread& t, std::uint64_t pc) {
  Scheduler& s = *t.scheduler;
  if (!start_carrier() || s.live() == 1) return;
  model::control_point(s, t, pc, at(&exit_handlers), EventKind::stream_use);
  Object* o = s.objects().find(at(&exit_handlers), ObjectKind::once);
  if (!o) o = &s.objects().add(at(&exit_handlers), ObjectKind::once);
  s.acquire(t, o->released);
  s.release_join(t, o->released);
}

void exit_after_main(int status) {
  if (Thread* t = self()) {
    g_engine->leaving_from(0);
    use_exit_handlers(*t, JOSTLE_CALLER);
  }
  real::ready();
  real::exit(status);
  __builtin_unreachable();
}

}  // namespace jostle

// A child process of the program has one thread. It is controlled only if somebody asked for it.
JOSTLE_EXPORT pid_t fork() noexcept {
  real::ready();
  Thread* t = self();
  if (!t) return real::fork();
  snapshot::not_restorable("it starts processes");
  if (family::controls_children()) return family::fork(*t, JOSTLE_CALLER);
  const bool body = !g_engine->scheduler().settings().whole_program;
  g_engine->uncontrolled(body ? "fork: the child runs without control, and ends with the execution"
                              : "fork: the child runs without control (--children controlled)",
                         JOSTLE_CALLER);
  family::free_process();
  g_engine->pause_trap();
  const auto parent = static_cast<pid_t>(system_call(SYS_getpid));
  const pid_t p = real::fork();
  if (p == 0) {
    creation::run_free(parent);
    return p;
  }
  g_engine->resume_trap();
  if (body && p > 0) free_children::started(p);
  return p;
}
