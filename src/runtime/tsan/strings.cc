// What functions of the C library do to strings. Instrumented code calls these in their place
// (jostle/instrument.h): what happens inside the library, no hook sees. Each is one step; where
// others come in between just before it, it finds what they have left.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/tsan/access.h"

using jostle::access;

namespace {

void reads(const void* p, std::size_t n, std::uint64_t pc) {
  if (n > 0) access(p, n, false, pc);
}
void writes(const void* p, std::size_t n, std::uint64_t pc) {
  if (n > 0) access(p, n, true, pc);
}

// Characters up to the first that differs or ends both, that one included.
std::size_t compared(const char* a, const char* b, std::size_t most) {
  for (std::size_t i = 0; i < most; ++i)
    if (a[i] != b[i] || a[i] == 0) return i + 1;
  return most;
}

// Formatted once to know how much there is to write.
int length_of(const char* format, va_list list) {
  va_list again;
  va_copy(again, list);
  const int n = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  return n;
}

int print(char* to, std::size_t size, const char* format, va_list list, std::uint64_t pc) {
  const int n = length_of(format, list);
  if (n >= 0) writes(to, std::min(size, static_cast<std::size_t>(n) + 1), pc);
  return std::vsnprintf(to, size, format, list);
}

}  // namespace

JOSTLE_EXPORT std::size_t jostle_strlen(const char* s) {
  reads(s, std::strlen(s) + 1, JOSTLE_CALLER);
  return std::strlen(s);
}
JOSTLE_EXPORT std::size_t jostle_strnlen(const char* s, std::size_t most) {
  reads(s, std::min(strnlen(s, most) + 1, most), JOSTLE_CALLER);
  return strnlen(s, most);
}
JOSTLE_EXPORT int jostle_strcmp(const char* a, const char* b) {
  const std::size_t n = compared(a, b, ~std::size_t{0});
  reads(a, n, JOSTLE_CALLER);
  reads(b, n, JOSTLE_CALLER);
  return std::strcmp(a, b);
}
JOSTLE_EXPORT int jostle_strncmp(const char* a, const char* b, std::size_t most) {
  const std::size_t n = compared(a, b, most);
  reads(a, n, JOSTLE_CALLER);
  reads(b, n, JOSTLE_CALLER);
  return std::strncmp(a, b, most);
}
JOSTLE_EXPORT int jostle_memcmp(const void* a, const void* b, std::size_t n) {
  reads(a, n, JOSTLE_CALLER);
  reads(b, n, JOSTLE_CALLER);
  return std::memcmp(a, b, n);
}
JOSTLE_EXPORT char* jostle_strcpy(char* to, const char* from) {
  const std::size_t n = std::strlen(from) + 1;
  reads(from, n, JOSTLE_CALLER);
  writes(to, n, JOSTLE_CALLER);
  return std::strcpy(to, from);
}
JOSTLE_EXPORT char* jostle_strncpy(char* to, const char* from, std::size_t n) {
  reads(from, std::min(strnlen(from, n) + 1, n), JOSTLE_CALLER);
  writes(to, n, JOSTLE_CALLER);
  return std::strncpy(to, from, n);
}
JOSTLE_EXPORT char* jostle_strcat(char* to, const char* from) {
  const std::size_t had = std::strlen(to), n = std::strlen(from) + 1;
  reads(from, n, JOSTLE_CALLER);
  reads(to, had + 1, JOSTLE_CALLER);
  writes(to + had, n, JOSTLE_CALLER);
  return std::strcat(to, from);
}
JOSTLE_EXPORT char* jostle_strncat(char* to, const char* from, std::size_t most) {
  const std::size_t had = std::strlen(to), n = strnlen(from, most);
  reads(from, std::min(n + 1, most), JOSTLE_CALLER);
  reads(to, had + 1, JOSTLE_CALLER);
  writes(to + had, n + 1, JOSTLE_CALLER);
  return std::strncat(to, from, most);
}

JOSTLE_EXPORT int jostle_vsnprintf(char* to, std::size_t size, const char* format, va_list list) {
  return print(to, size, format, list, JOSTLE_CALLER);
}
JOSTLE_EXPORT int jostle_snprintf(char* to, std::size_t size, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = print(to, size, format, list, JOSTLE_CALLER);
  va_end(list);
  return n;
}
JOSTLE_EXPORT int jostle_sprintf(char* to, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = length_of(format, list);
  if (n >= 0) writes(to, static_cast<std::size_t>(n) + 1, JOSTLE_CALLER);
  const int r = std::vsprintf(to, format, list);
  va_end(list);
  return r;
}
