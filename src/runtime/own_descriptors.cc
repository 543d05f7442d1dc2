#include "runtime/own_descriptors.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>

#include "runtime/once_per_process.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"

namespace jostle::own_descriptors {
namespace {

constexpr int kEnd = 4096;
bool g_own[kEnd];

bool has(long fd) { return fd >= kFirst && fd < kEnd && g_own[fd]; }

struct Entry {  // as the kernel lists a directory
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

}  // namespace

void note() {
  static OncePerProcess first;
  if (!start_carrier() || !first()) return;
  std::fill(std::begin(g_own), std::end(g_own), false);
  const long list = system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/fd"),
                                O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return;
  alignas(Entry) char buffer[4096];
  for (long n;
       (n = system_call(SYS_getdents64, list, reinterpret_cast<long>(buffer), sizeof buffer)) > 0;)
    for (long at = 0; at < n;) {
      const auto* e = reinterpret_cast<const Entry*>(buffer + at);
      if (const int fd = std::atoi(e->name); fd >= kFirst && fd < kEnd) g_own[fd] = true;
      at += e->length;
    }
  system_call(SYS_close, list);
}

void add(long fd) {
  if (fd >= kFirst && fd < kEnd) g_own[fd] = true;
}
void remove(long fd) {
  if (fd >= kFirst && fd < kEnd) g_own[fd] = false;
}

long close(const SystemCall& c) {
  if (c.number == SYS_close) return has(c.a[0]) ? -EBADF : pass_system_call(c);
  const long first = static_cast<unsigned>(c.a[0]), last = static_cast<unsigned>(c.a[1]);
  if (first > last || (c.a[2] & CLOSE_RANGE_CLOEXEC) != 0) return pass_system_call(c);
  long from = first;
  for (long fd = std::max<long>(first, kFirst); fd <= last && fd < kEnd; ++fd) {
    if (!has(fd)) continue;
    if (from < fd) pass_system_call({SYS_close_range, {from, fd - 1, c.a[2]}, c.pc});
    from = fd + 1;
  }
  return from <= last ? pass_system_call({SYS_close_range, {from, last, c.a[2]}, c.pc}) : 0;
}

}  // namespace jostle::own_descriptors
