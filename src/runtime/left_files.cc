#include "runtime/left_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/system_call.h"

namespace jostle {
namespace {

bool writes_to_file(long flags, long fd) {
  struct stat st;
  return fd >= 0 && (flags & O_ACCMODE) != O_RDONLY && (flags & O_TMPFILE) != O_TMPFILE &&
         system_call(SYS_fstat, fd, reinterpret_cast<long>(&st)) == 0 && S_ISREG(st.st_mode);
}

}  // namespace

bool leaves_files(const SystemCall& c, long result) {
  switch (c.number) {
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_link:
    case SYS_linkat:
    case SYS_symlink:
    case SYS_symlinkat:
      return result == 0;
    case SYS_creat:
      return writes_to_file(O_WRONLY, result);
    case SYS_open:
      return writes_to_file(c.a[1], result);
    case SYS_openat:
      return writes_to_file(c.a[2], result);
    default:
      return false;
  }
}

}  // namespace jostle
