#include "program/beginning.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "base/mapped.h"
#include "program/direct.h"
#include "trace/file_io.h"

namespace jostle::program {
namespace {

constexpr int kDescriptors = 256;
bool g_inherited[kDescriptors];

// Before the program's own constructors: this library is loaded first.
[[gnu::constructor]] void note_descriptors() {
  if (!requested()) return;
  for (int fd = 0; fd < kDescriptors; ++fd) g_inherited[fd] = fcntl(fd, F_GETFD) >= 0;
}

bool shares_memory() {
  const auto maps = read_file("/proc/self/maps", std::size_t{1} << 24);
  if (!maps) return false;
  std::istringstream lines(*maps);
  for (std::string line; std::getline(lines, line);) {
    unsigned long begin = 0, end = 0;
    char mode[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, mode) == 3 && mode[1] == 'w' &&
        mode[3] == 's' && !g_own_pages.has(begin))
      return true;
  }
  return false;
}

}  // namespace

bool shared_from_the_beginning() {
  if (shares_memory()) return true;
  for (int fd = 0; fd < kDescriptors; ++fd) {
    struct stat st;
    if (g_inherited[fd] || fstat(fd, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
        S_ISCHR(st.st_mode))
      continue;
    return true;
  }
  return false;
}

void close_since_the_beginning() {
  for (int fd = 0; fd < kDescriptors; ++fd)
    if (!g_inherited[fd]) close(fd);
}

}  // namespace jostle::program
