// What the system calls of an execution have changed.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstdio>

#include "runtime/snapshot_table.h"

namespace jostle::snapshot {
namespace {

void opened(long fd) {
  Table& t = *g_table;
  if (fd < 0) return;
  if (fd >= Table::kDescriptors) return not_restorable("it opens more than a thousand descriptors");
  t.changed[fd] = t.descriptors_changed = true;
}

void moved(long fd) {
  Table& t = *g_table;
  if (fd < 0 || fd >= Table::kDescriptors || t.copy[fd] < 0 || t.position[fd] < 0) return;
  t.moved[fd] = t.descriptors_changed = true;
}

// A copy that the program has made shares them with the original.
void flags_changed(long fd) {
  Table& t = *g_table;
  if (fd < 0) return;
  const bool copied = fd >= Table::kDescriptors || t.changed[fd];
  for (int i = 0; i < Table::kDescriptors; ++i)
    if (t.copy[i] >= 0 && (i == fd || copied)) t.flags_changed[i] = t.descriptors_changed = true;
}

void mapped(std::uintptr_t begin, std::size_t size) {
  Table& t = *g_table;
  for (Table::Mapping& m : t.mappings)
    if (m.size == 0) {
      m = {begin, (size + kPage - 1) & ~(kPage - 1)};
      return;
    }
  if (t.mappings.full()) return not_restorable("it maps memory very often");
  t.mappings.push({begin, (size + kPage - 1) & ~(kPage - 1)});
}

void unmapped(std::uintptr_t begin, std::size_t size) {
  const std::uintptr_t end = begin + ((size + kPage - 1) & ~(kPage - 1));
  // Something else may be mapped there by the time of restore(): Jostle's own memory, for one.
  const std::size_t count = g_table->mappings.size();
  for (std::size_t i = 0; i < count; ++i) {
    Table::Mapping& m = g_table->mappings[i];
    const std::uintptr_t stop = m.begin + m.size;
    if (m.size == 0 || begin >= stop || end <= m.begin) continue;
    if (end < stop) mapped(end, stop - end);
    g_table->mappings[i].size = begin > m.begin ? begin - m.begin : 0;
  }
  for (const Region& r : g_table->regions)
    if (begin < r.end && r.begin < end)
      return not_restorable("it unmaps memory that was there at its start");
}

}  // namespace

void performed(const SystemCall& c, long result) {
  if (!taken() || result < 0) return;
  Table& t = *g_table;
  switch (c.number) {
    case SYS_mmap:
      if (c.a[3] & MAP_FIXED)
        unmapped(static_cast<std::uintptr_t>(c.a[0]), static_cast<std::size_t>(c.a[1]));
      return mapped(static_cast<std::uintptr_t>(result), static_cast<std::size_t>(c.a[1]));
    case SYS_munmap:
      return unmapped(static_cast<std::uintptr_t>(c.a[0]), static_cast<std::size_t>(c.a[1]));
    case SYS_mremap:
      unmapped(static_cast<std::uintptr_t>(c.a[0]), static_cast<std::size_t>(c.a[1]));
      return mapped(static_cast<std::uintptr_t>(result), static_cast<std::size_t>(c.a[2]));
    case SYS_mprotect:
    case SYS_pkey_mprotect: {
      const auto begin = static_cast<std::uintptr_t>(c.a[0]);
      const std::uintptr_t end = begin + static_cast<std::size_t>(c.a[1]);
      for (const Region& r : t.regions)
        if (begin < r.end && r.begin < end)
          return not_restorable("it changes the protection of memory that was there at its start");
      return;
    }
    case SYS_brk:
      t.brk_changed = true;
      if (static_cast<std::uintptr_t>(result) < t.brk)
        not_restorable("it gives back memory that was there at its start");
      return;
    case SYS_madvise:
      // These empty pages without writing to them.
      if (c.a[2] == MADV_DONTNEED || c.a[2] == MADV_FREE || c.a[2] == MADV_REMOVE)
        for (std::uintptr_t at = static_cast<std::uintptr_t>(c.a[0]),
                            end = at + static_cast<std::size_t>(c.a[1]);
             at < end; at += kPage)
          open_page(at);
      return;
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat:
    case SYS_socket:
    case SYS_dup:
    case SYS_epoll_create:
    case SYS_epoll_create1:
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_timerfd_create:
    case SYS_signalfd:
    case SYS_signalfd4:
    case SYS_memfd_create:
    case SYS_accept:
    case SYS_accept4:
    case SYS_inotify_init:
    case SYS_inotify_init1:
    case SYS_pidfd_open:
    case SYS_mq_open:
      return opened(result);
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_mq_notify:
    case SYS_mq_getsetattr:
      // One that it opens itself comes and goes with its descriptor, or stays as a file does.
      if (c.a[0] >= 0 && c.a[0] < Table::kDescriptors && !t.changed[c.a[0]])
        not_restorable("it uses a message queue that was open before its start");
      return;
    case SYS_mq_unlink:
      return;
    case SYS_pipe:
    case SYS_pipe2:
      for (int i = 0; i < 2; ++i) opened(reinterpret_cast<const int*>(c.a[0])[i]);
      return;
    case SYS_socketpair:
      for (int i = 0; i < 2; ++i) opened(reinterpret_cast<const int*>(c.a[3])[i]);
      return;
    case SYS_dup2:
    case SYS_dup3:
      return opened(c.a[1]);
    case SYS_close:
      return opened(c.a[0]);
    case SYS_close_range:
      for (long fd = c.a[0]; fd < Table::kDescriptors && fd <= c.a[1]; ++fd)
        if (t.copy[fd] != -1) opened(fd);
      return;
    case SYS_fcntl:
      if (c.a[1] == F_DUPFD || c.a[1] == F_DUPFD_CLOEXEC) return opened(result);
      if (c.a[1] == F_SETFL) return flags_changed(c.a[0]);
      if (c.a[1] == F_SETFD) return opened(c.a[0]);
      return;
    case SYS_ioctl:
      if (c.a[1] == FIONBIO) flags_changed(c.a[0]);
      return;
    case SYS_read:
    case SYS_write:
    case SYS_readv:
    case SYS_writev:
    case SYS_lseek:
    case SYS_getdents64:
      return moved(c.a[0]);
    case SYS_sendfile:
    case SYS_copy_file_range:
    case SYS_splice:
      moved(c.a[0]);
      return moved(c.a[c.number == SYS_sendfile ? 1 : 2]);
    case SYS_chdir:
    case SYS_fchdir:
      t.directory_changed = true;
      return;
    case SYS_umask:
      t.umask_changed = true;
      return;
    case SYS_rt_sigaction:
      if (c.a[1] == 0) return;
      t.signals_changed = true;
      return;
    case SYS_rt_sigprocmask:
      t.mask_changed = true;
      return;
    case SYS_alarm:
    case SYS_setitimer:
      t.timer_set = true;
      return;
    case SYS_prctl:
      if (c.a[0] == PR_SET_NAME || c.a[0] == PR_GET_NAME || c.a[0] == 0x53564d41 /* VMA name */)
        return;
      return not_restorable("it calls prctl");
    case SYS_sigaltstack:  // see alternate_stack() in system_model.cc
      return;
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_clone3:
      return not_restorable("it starts processes");
    // Only asks, or changes what belongs to descriptors or files: the same in a forked process.
    case SYS_mincore:
    case SYS_msync:
    case SYS_stat:
    case SYS_fstat:
    case SYS_lstat:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_statfs:
    case SYS_fstatfs:
    case SYS_access:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_readlink:
    case SYS_readlinkat:
    case SYS_getcwd:
    case SYS_getdents:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_ftruncate:
    case SYS_truncate:
    case SYS_fallocate:
    case SYS_fadvise64:
    case SYS_readahead:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_rmdir:
    case SYS_link:
    case SYS_linkat:
    case SYS_symlink:
    case SYS_symlinkat:
    case SYS_chmod:
    case SYS_fchmod:
    case SYS_fchmodat:
    case SYS_chown:
    case SYS_fchown:
    case SYS_fchownat:
    case SYS_utimensat:
    case SYS_flock:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_ctl:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_timerfd_settime:
    case SYS_timerfd_gettime:
    case SYS_bind:
    case SYS_listen:
    case SYS_connect:
    case SYS_shutdown:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_getsockname:
    case SYS_getpeername:
    case SYS_getsockopt:
    case SYS_setsockopt:
    case SYS_getpid:
    case SYS_gettid:
    case SYS_getppid:
    case SYS_getpgrp:
    case SYS_getpgid:
    case SYS_getsid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_getresuid:
    case SYS_getresgid:
    case SYS_getgroups:
    case SYS_uname:
    case SYS_sysinfo:
    case SYS_times:
    case SYS_getrusage:
    case SYS_getrlimit:
    case SYS_getrandom:
    case SYS_getcpu:
    case SYS_clock_gettime:
    case SYS_clock_getres:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_sched_getparam:
    case SYS_sched_getscheduler:
    case SYS_sched_get_priority_max:
    case SYS_sched_get_priority_min:
    case SYS_sched_yield:
    case SYS_getpriority:
    case SYS_futex:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_kill:
    case SYS_tgkill:
    case SYS_tkill:
    case SYS_rt_sigpending:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_getitimer:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_membarrier:
    case SYS_rseq:
    case SYS_set_robust_list:
    case SYS_exit_group:
      return;
    case SYS_prlimit64:
      if (c.a[2] == 0 || g_raises_limit) return;  // only asks, or is not the program
      return not_restorable("it changes its limits");
    default: {
      char what[64];
      std::snprintf(what, sizeof what, "it makes system call %ld", c.number);
      not_restorable(what);
    }
  }
}

}  // namespace jostle::snapshot
