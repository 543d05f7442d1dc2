#include "runtime/other_program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/mapped.h"
#include "runtime/system_call.h"

namespace jostle::other_program {
namespace {

// Strings in a row, in memory of our own: a program may write over its first environment.
struct Strings {
  static constexpr std::size_t kBytes = 1u << 20, kMost = 8192;
  char* at[kMost];
  std::size_t count, used;
  char bytes[kBytes];

  char* add(const char* head, const char* text, const char* tail = "") {
    const std::size_t n = std::strlen(head) + std::strlen(text) + std::strlen(tail) + 1;
    if (count + 1 >= kMost || used + n > kBytes) return nullptr;
    char* to = bytes + used;
    std::snprintf(to, n, "%s%s%s", head, text, tail);
    used += n;
    at[count++] = to;
    at[count] = nullptr;
    return to;
  }
};

Strings& strings(Strings*& s) {
  if (!s) s = static_cast<Strings*>(map_pages(sizeof(Strings)));
  return *s;
}
Strings *g_remembered = nullptr, *g_environment = nullptr;
const char* g_library = nullptr;

bool starts_with(const char* text, const char* head) {
  return std::strncmp(text, head, std::strlen(head)) == 0;
}

// What is asked of the first process is not asked of others.
bool is_handed_on(const char* variable) {
  return starts_with(variable, "JOSTLE_") && !starts_with(variable, "JOSTLE_INTERNAL_") &&
         !starts_with(variable, "JOSTLE_START_AT=");
}

struct Mapped {
  const char* bytes = nullptr;
  std::size_t size = 0;
  explicit Mapped(const char* path) {
    const long file =
        system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat st;
    if (system_call(SYS_fstat, file, reinterpret_cast<long>(&st)) == 0 && st.st_size > 0) {
      const long at = system_call(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
      if (at > 0 || at < -4095) {
        bytes = reinterpret_cast<const char*>(at);
        size = static_cast<std::size_t>(st.st_size);
      }
    }
    system_call(SYS_close, file);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    if (bytes) system_call(SYS_munmap, reinterpret_cast<long>(bytes), static_cast<long>(size));
  }
};

// With the C library's loader.
Kind kind_of_elf(const Mapped& m) {
  Elf64_Ehdr h;
  if (m.size < sizeof h) return Kind::free;
  std::memcpy(&h, m.bytes, sizeof h);
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != EM_X86_64) return Kind::free;
  for (unsigned i = 0; i < h.e_phnum; ++i) {
    Elf64_Phdr p;
    const std::size_t at = h.e_phoff + i * sizeof p;
    if (at + sizeof p > m.size) return Kind::free;
    std::memcpy(&p, m.bytes + at, sizeof p);
    if (p.p_type != PT_INTERP || p.p_offset + p.p_filesz > m.size) continue;
    constexpr char kLoader[] = "ld-linux-x86-64.so";
    if (!memmem(m.bytes + p.p_offset, p.p_filesz, kLoader, sizeof kLoader - 1)) return Kind::free;
    constexpr char kLinked[] = "jostle_runtime_linked";
    return memmem(m.bytes, m.size, kLinked, sizeof kLinked - 1) ? Kind::linked : Kind::controllable;
  }
  return Kind::free;
}

Kind kind_of(const char* path, int depth) {
  struct stat st;
  if (system_call(SYS_access, reinterpret_cast<long>(path), X_OK) != 0 ||
      system_call(SYS_stat, reinterpret_cast<long>(path), reinterpret_cast<long>(&st)) != 0 ||
      !S_ISREG(st.st_mode))
    return Kind::missing;
  char capabilities[64];
  if ((st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
      system_call(SYS_getxattr, reinterpret_cast<long>(path),
                  reinterpret_cast<long>("security.capability"),
                  reinterpret_cast<long>(capabilities), sizeof capabilities) > 0)
    return Kind::free;
  const Mapped m(path);
  if (!m.bytes) return Kind::free;
  if (m.size < 4) return Kind::missing;
  if (std::memcmp(m.bytes, ELFMAG, SELFMAG) == 0) return kind_of_elf(m);
  if (m.bytes[0] != '#' || m.bytes[1] != '!') return Kind::missing;
  constexpr int kMostInterpreters = 4;  // as many as the kernel follows
  if (depth == kMostInterpreters) return Kind::free;
  char interpreter[256];
  std::size_t from = 2, n = 0;
  while (from < m.size && (m.bytes[from] == ' ' || m.bytes[from] == '\t')) ++from;
  while (from + n < m.size && n + 1 < sizeof interpreter &&
         !std::strchr(" \t\n", m.bytes[from + n]))
    ++n;
  std::memcpy(interpreter, m.bytes + from, n);
  interpreter[n] = 0;
  return kind_of(interpreter, depth + 1);
}

}  // namespace

Kind kind_of(const char* path) { return kind_of(path, 0); }

Found find(const char* name) {
  Found f;
  f.path[0] = 0;
  const auto put = [&](const char* folder, std::size_t n, const char* slash) {
    const int written =
        std::snprintf(f.path, sizeof f.path, "%.*s%s%s", static_cast<int>(n), folder, slash, name);
    if (written < 0 || static_cast<std::size_t>(written) >= sizeof f.path) f.path[0] = 0;
  };
  if (std::strchr(name, '/')) return put("", 0, ""), f;
  const char* at = std::getenv("PATH");
  if (!at) at = "/bin:/usr/bin";
  for (;; ++at) {
    const char* end = std::strchr(at, ':');
    const std::size_t n = end ? static_cast<std::size_t>(end - at) : std::strlen(at);
    put(at, n, n > 0 ? "/" : "");
    if (f.path[0] && kind_of(f.path) != Kind::missing) return f;
    f.path[0] = 0;
    if (!end) return f;
    at = end;
  }
}

void remember(const char* const* environment) {
  constexpr char kLibrary[] = "JOSTLE_INTERNAL_LIBRARY=";
  Strings& s = strings(g_remembered);
  for (; *environment; ++environment) {
    if (starts_with(*environment, kLibrary))
      g_library = s.add("", *environment) + sizeof kLibrary - 1;
    else if (is_handed_on(*environment))
      s.add("", *environment);
  }
}

char** environment(char* const* own, bool linked, const char* request) {
  Strings& s = strings(g_environment);
  s.count = s.used = 0;
  const char* preload = "";
  for (; own && *own; ++own) {
    if (starts_with(*own, "LD_PRELOAD="))
      preload = *own + std::strlen("LD_PRELOAD=");
    else
      s.add("", *own);
  }
  for (std::size_t i = 0; g_remembered && i < g_remembered->count; ++i)
    s.add("", g_remembered->at[i]);
  s.add("JOSTLE_INTERNAL_PRELOAD=", preload);
  char libraries[8192];
  std::snprintf(libraries, sizeof libraries, "%s%s%s", linked || !g_library ? "" : g_library,
                linked || !g_library || !*preload ? "" : ":", preload);
  if (*libraries) s.add("LD_PRELOAD=", libraries);
  s.add(kFamily, "=", request);
  return s.at;
}

}  // namespace jostle::other_program
