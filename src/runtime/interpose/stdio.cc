// Locks of streams. They stay the C library's own, since its functions take them too; here is
// only the scheduling point. A thread that has to wait for one waits in a futex, which the trap
// turns into a modelled wait.
#define __NO_INLINE__ 1  // the C library's headers define some of them, too
#include <cstdarg>
#include <cstdio>

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
  if (t) model::control_point(*t->scheduler, *t, JOSTLE_CALLER, at(f), EventKind::stream_use);
  real::flockfile(f);
  if (t) t->scheduler->acquire(*t, stream(*t->scheduler, f).released);
}
JOSTLE_EXPORT int ftrylockfile(FILE* f) noexcept {
  real::ready();
  Thread* t = self();
  if (t) model::control_point(*t->scheduler, *t, JOSTLE_CALLER, at(f), EventKind::stream_use);
  const int r = real::ftrylockfile(f);
  if (t && r == 0) t->scheduler->acquire(*t, stream(*t->scheduler, f).released);
  return r;
}
JOSTLE_EXPORT void funlockfile(FILE* f) noexcept {
  real::ready();
  if (Thread* t = self()) {
    model::control_point(*t->scheduler, *t, JOSTLE_CALLER, at(f), EventKind::stream_use);
    t->scheduler->release_join(*t, stream(*t->scheduler, f).released);
  }
  real::funlockfile(f);
}

// --- what is printed and read -------------------------------------------------------------------
//
// Each use takes the lock of the stream, and who does first makes a difference. It makes none for
// the standard streams, which nobody reads back, unless the output is compared.

namespace {

void use(FILE* f, std::uint64_t pc) {
  real::ready();
  Thread* t = self();
  if (!t) return;
  if ((f == stdout || f == stderr) && !t->scheduler->settings().output_matters) return;
  model::control_point(*t->scheduler, *t, pc, at(f), EventKind::stream_use);
}

}  // namespace

JOSTLE_EXPORT int fputs(const char* text, FILE* f) {
  return use(f, JOSTLE_CALLER), real::fputs(text, f);
}
JOSTLE_EXPORT int fputc(int c, FILE* f) { return use(f, JOSTLE_CALLER), real::fputc(c, f); }
JOSTLE_EXPORT int putc(int c, FILE* f) { return use(f, JOSTLE_CALLER), real::fputc(c, f); }
JOSTLE_EXPORT int putchar(int c) { return use(stdout, JOSTLE_CALLER), real::fputc(c, stdout); }
JOSTLE_EXPORT int puts(const char* text) { return use(stdout, JOSTLE_CALLER), real::puts(text); }
JOSTLE_EXPORT std::size_t fwrite(const void* data, std::size_t size, std::size_t n, FILE* f) {
  return use(f, JOSTLE_CALLER), real::fwrite(data, size, n, f);
}
JOSTLE_EXPORT int vfprintf(FILE* f, const char* format, va_list list) {
  return use(f, JOSTLE_CALLER), real::vfprintf(f, format, list);
}
JOSTLE_EXPORT int vprintf(const char* format, va_list list) {
  return use(stdout, JOSTLE_CALLER), real::vfprintf(stdout, format, list);
}
JOSTLE_EXPORT int fprintf(FILE* f, const char* format, ...) {
  use(f, JOSTLE_CALLER);
  va_list list;
  va_start(list, format);
  const int n = real::vfprintf(f, format, list);
  va_end(list);
  return n;
}
JOSTLE_EXPORT int printf(const char* format, ...) {
  use(stdout, JOSTLE_CALLER);
  va_list list;
  va_start(list, format);
  const int n = real::vfprintf(stdout, format, list);
  va_end(list);
  return n;
}
// What -D_FORTIFY_SOURCE makes of them.
JOSTLE_EXPORT int __vfprintf_chk(FILE* f, int flag, const char* format, va_list list) {
  return use(f, JOSTLE_CALLER), real::__vfprintf_chk(f, flag, format, list);
}
JOSTLE_EXPORT int __vprintf_chk(int flag, const char* format, va_list list) {
  return use(stdout, JOSTLE_CALLER), real::__vfprintf_chk(stdout, flag, format, list);
}
JOSTLE_EXPORT int __fprintf_chk(FILE* f, int flag, const char* format, ...) {
  use(f, JOSTLE_CALLER);
  va_list list;
  va_start(list, format);
  const int n = real::__vfprintf_chk(f, flag, format, list);
  va_end(list);
  return n;
}
JOSTLE_EXPORT int __printf_chk(int flag, const char* format, ...) {
  use(stdout, JOSTLE_CALLER);
  va_list list;
  va_start(list, format);
  const int n = real::__vfprintf_chk(stdout, flag, format, list);
  va_end(list);
  return n;
}
JOSTLE_EXPORT char* __fgets_chk(char* out, std::size_t room, int size, FILE* f) {
  return use(f, JOSTLE_CALLER), real::__fgets_chk(out, room, size, f);
}
JOSTLE_EXPORT std::size_t __fread_chk(void* out, std::size_t room, std::size_t size, std::size_t n,
                                      FILE* f) {
  return use(f, JOSTLE_CALLER), real::__fread_chk(out, room, size, n, f);
}

JOSTLE_EXPORT char* fgets(char* out, int size, FILE* f) {
  return use(f, JOSTLE_CALLER), real::fgets(out, size, f);
}
JOSTLE_EXPORT int fgetc(FILE* f) { return use(f, JOSTLE_CALLER), real::fgetc(f); }
JOSTLE_EXPORT int getc(FILE* f) { return use(f, JOSTLE_CALLER), real::fgetc(f); }
JOSTLE_EXPORT std::size_t fread(void* out, std::size_t size, std::size_t n, FILE* f) {
  return use(f, JOSTLE_CALLER), real::fread(out, size, n, f);
}
