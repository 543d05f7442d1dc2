#include "runtime/shared_memory.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>

#include "base/mapped.h"
#include "runtime/system_call.h"

namespace jostle {

// "7f0000000000-7f0000001000 rw-s ...", a line for each mapping.
void SharedMemory::find() {
  static char text[1 << 18];
  count_ = 0;
  const long file = system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"),
                                O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::size_t size = 0;
  for (long n; size + 1 < sizeof text &&
               (n = system_call(SYS_read, file, reinterpret_cast<long>(text + size),
                                static_cast<long>(sizeof text - 1 - size))) > 0;)
    size += static_cast<std::size_t>(n);
  system_call(SYS_close, file);
  text[size] = 0;
  for (char* line = text; *line && count_ < kMost;) {
    char* at = line;
    const Address begin = std::strtoull(at, &at, 16);
    const Address end = std::strtoull(at + 1, &at, 16);
    if (std::memcmp(at, " rw-s", 5) == 0 && !g_own_pages.has(begin))
      range_[count_++] = {begin, end};
    line = std::strchr(line, '\n');
    if (!line) break;
    ++line;
  }
}

}  // namespace jostle
