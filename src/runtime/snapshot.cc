#include "runtime/snapshot.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/snapshot_table.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"

namespace jostle::snapshot {

Table* g_table = nullptr;

namespace {

Table& table() {
  if (!g_table) g_table = new (map_pages(sizeof(Table))) Table;
  return *g_table;
}

bool add_region(std::uintptr_t begin, std::uintptr_t end) {
  Table& t = table();
  if (begin >= end) return true;
  const std::size_t size = end - begin;
  if (t.bytes.size() + size > kMostBytes || t.regions.full()) {
    std::snprintf(t.trouble, sizeof t.trouble, "it has more than %zu MB of memory at its start",
                  kMostBytes >> 20);
    return false;
  }
  const std::size_t at = t.bytes.size();
  t.bytes.resize(at + size);
  std::memcpy(&t.bytes[at], reinterpret_cast<const void*>(begin), size);
  const std::size_t first = t.state.size();
  const std::size_t pages = (((end + kPage - 1) & ~(kPage - 1)) - (begin & ~(kPage - 1))) / kPage;
  t.state.resize(first + pages);
  std::memset(&t.state[first], kCold, pages);
  t.regions.push({begin, end, &t.bytes[at], static_cast<std::uint32_t>(first)});
  return true;
}

Region* find(std::uintptr_t a) {
  for (Region& r : g_table->regions)
    if (a >= (r.begin & ~(kPage - 1)) && a < ((r.end + kPage - 1) & ~(kPage - 1))) return &r;
  return nullptr;
}

// The part of a page that belongs to the region.
Table::Page page_of(const Region& r, std::uintptr_t a) {
  std::uintptr_t begin = a & ~(kPage - 1), end = begin + kPage;
  const auto index =
      static_cast<std::uint32_t>(r.first_page + (begin - (r.begin & ~(kPage - 1))) / kPage);
  begin = std::max(begin, r.begin);
  end = std::min(end, r.end);
  return {reinterpret_cast<char*>(begin), r.saved + (begin - r.begin), index,
          static_cast<std::uint32_t>(end - begin)};
}

void protect(std::uintptr_t begin, std::uintptr_t end, bool writable) {
  system_call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin),
              writable ? PROT_READ | PROT_WRITE : PROT_READ);
}

// Before anything is protected.
void make_hot(Region& r, std::uintptr_t a) {
  Table& t = *g_table;
  const Table::Page p = page_of(r, a);
  if (t.state[p.index] == kHot) return;
  t.state[p.index] = kHot;
  if (!t.hot.full()) t.hot.push(p);
}

void copy_back(const Table::Page& p) {
  if (JOSTLE_LIKELY(p.size == kPage))
    std::memcpy(p.at, p.saved, kPage);
  else
    std::memcpy(p.at, p.saved, p.size);
}

}  // namespace

bool open_page(std::uintptr_t a) {
  Table& t = *g_table;
  Region* r = find(a);
  if (!r) return false;
  const Table::Page p = page_of(*r, a);
  if (t.state[p.index] != kCold) return false;
  protect(a & ~(kPage - 1), (a & ~(kPage - 1)) + kPage, true);
  t.state[p.index] = kOpen;
  // Said now, so that no execution starts from memory that was put back in part only.
  if (t.hot.size() + t.open.size() >= kMostHot)
    not_restorable("it writes to so much memory that a process for each execution is quicker");
  if (!t.open.full()) t.open.push(p);
  return true;
}

// --- what there is ---------------------------------------------------------------------------

namespace {

struct Skip {
  std::uintptr_t begin = 0, end = 0;
};

// The writable part of the library that this code is in; nothing if that is the program itself.
int own_library(dl_phdr_info* info, std::size_t, void* out) {
  const auto here = reinterpret_cast<std::uintptr_t>(&g_table);
  bool contains = false;
  Skip writable{~std::uintptr_t{0}, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& ph = info->dlpi_phdr[i];
    if (ph.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + ph.p_vaddr, end = begin + ph.p_memsz;
    contains |= here >= begin && here < end;
    if (ph.p_flags & PF_W) {
      writable.begin = std::min(writable.begin, begin & ~(kPage - 1));
      writable.end = std::max(writable.end, (end + kPage - 1) & ~(kPage - 1));
    }
  }
  if (!contains) return 0;
  if (info->dlpi_name && *info->dlpi_name) *static_cast<Skip*>(out) = writable;
  return 1;
}

bool add_without_own(std::uintptr_t begin, std::uintptr_t end, const Skip& library) {
  while (begin < end) {
    std::uintptr_t stop = end, resume = end;
    if (const auto* own = g_own_pages.next(begin); own && own->begin < stop) {
      stop = std::max(own->begin, begin);
      resume = (own->end + kPage - 1) & ~(kPage - 1);
    }
    if (library.end > begin && library.begin < stop) {
      stop = std::max(library.begin, begin);
      resume = library.end;
    }
    if (!add_region(begin, stop)) return false;
    begin = resume;
  }
  return true;
}

bool add_memory() {
  Table& t = table();
  Skip library;
  dl_iterate_phdr(&own_library, &library);
  const auto fd = static_cast<int>(system_call(
      SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"), O_RDONLY | O_CLOEXEC));
  if (fd < 0) {
    std::snprintf(t.trouble, sizeof t.trouble, "/proc/self/maps cannot be read");
    return false;
  }
  MappedVector<char> text(std::size_t{1} << 22);
  for (;;) {
    const long n = system_call(SYS_read, fd, reinterpret_cast<long>(text.end()), 1 << 16);
    if (n <= 0 || text.size() + (1 << 17) > text.capacity()) break;
    text.resize(text.size() + static_cast<std::size_t>(n));
  }
  system_call(SYS_close, fd);
  const auto frame = reinterpret_cast<std::uintptr_t>(start_carrier()->sp) & ~(kPage - 1);
  for (const char* line = text.begin(); line < text.end();) {
    const char* end_of_line = static_cast<const char*>(
        std::memchr(line, '\n', static_cast<std::size_t>(text.end() - line)));
    if (!end_of_line) break;
    unsigned long begin = 0, end = 0, inode = 0;
    char flags[8] = {}, name[256] = {};
    std::sscanf(line, "%lx-%lx %7s %*s %*s %lu %255[^\n]", &begin, &end, flags, &inode, name);
    line = end_of_line + 1;
    if (flags[1] != 'w') continue;
    if (flags[0] != 'r' || std::strcmp(name, "[vvar]") == 0) continue;
    if (flags[3] == 's') {
      if (g_own_pages.has(begin)) continue;
      std::snprintf(t.trouble, sizeof t.trouble, "it shares memory (%.100s)",
                    name[0] ? name : "anonymous");
      return false;
    }
    // The stack from where executions start, upwards: what lies below is theirs.
    if (frame > begin && frame < end) begin = frame;
    if (!add_without_own(begin, end, library)) return false;
  }
  return true;
}

void remember_descriptors() {
  Table& t = table();
  for (int fd = 0; fd < Table::kDescriptors; ++fd) {
    t.copy[fd] = -1;
    const long flags = system_call(SYS_fcntl, fd, F_GETFD);
    if (flags < 0) continue;
    t.copy[fd] = -2;  // there, but one of ours
    t.closes[fd] = (flags & FD_CLOEXEC) != 0;
  }
  for (int fd = 0; fd < 700; ++fd) {
    if (t.copy[fd] == -1) continue;
    t.copy[fd] = static_cast<int>(system_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 1100));
    t.position[fd] = system_call(SYS_lseek, fd, 0, SEEK_CUR);
    t.flags[fd] = system_call(SYS_fcntl, fd, F_GETFL);
    if (t.flags[fd] & O_APPEND) t.position[fd] = -1;  // does not matter
  }
}

}  // namespace

bool taken() { return g_table != nullptr && g_table->taken; }
const char* trouble() { return g_table ? g_table->trouble : ""; }
Counts counts() { return g_table ? g_table->counts : Counts{}; }

void not_restorable(const char* what) {
  if (!g_table) return;  // nobody means to put anything back
  Table& t = *g_table;
  if (t.trouble[0] == 0) std::snprintf(t.trouble, sizeof t.trouble, "%s", what);
}

bool take() {
  Table& t = table();
  if (!start_carrier() || !g_own_pages.complete()) {
    not_restorable("it has too many threads");
    return false;
  }
  if (!add_memory()) return false;
  t.brk = static_cast<std::uintptr_t>(system_call(SYS_brk, 0));
  remember_descriptors();
  t.directory = static_cast<int>(system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("."),
                                             O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (t.directory >= 0) {
    const long high = system_call(SYS_fcntl, t.directory, F_DUPFD_CLOEXEC, 1100);
    system_call(SYS_close, t.directory);
    t.directory = static_cast<int>(high);
  }
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, 0, reinterpret_cast<long>(&t.mask), 8);
  for (int s = 1; s <= 64; ++s)
    system_call(SYS_rt_sigaction, s, 0, reinterpret_cast<long>(&t.handlers[s]), 8);
  t.umask_value = system_call(SYS_umask, 0);
  system_call(SYS_umask, t.umask_value);
  t.taken = true;
  Engine& e = engine();
  for (std::uint32_t i = 0; i < e.carriers().size(); ++i) add_carrier(*e.carriers().at(i));
  // The kernel writes to the thread-control block of the running thread whenever it likes (rseq),
  // and signal frames to the stack, wherever that is.
  const auto fs = static_cast<std::uintptr_t>(start_carrier()->fs);
  const auto sp = reinterpret_cast<std::uintptr_t>(start_carrier()->sp);
  for (const std::uintptr_t a : {fs - kPage, fs, fs + kPage, sp, sp + kPage})
    if (Region* r = find(a)) make_hot(*r, a);
  for (const Region& r : t.regions) {
    // Runs of cold pages, each in one call.
    std::uintptr_t a = r.begin & ~(kPage - 1);
    const std::uintptr_t end = (r.end + kPage - 1) & ~(kPage - 1);
    while (a < end) {
      std::uintptr_t stop = a;
      while (stop < end && t.state[page_of(r, stop).index] == kCold) stop += kPage;
      if (stop > a) protect(a, stop, false);
      a = stop + kPage;
    }
  }
  return true;
}

void add_carrier(const Carrier& c) {
  if (!taken()) return;
  // Above the fiber's stack: the parked thread's frames, thread-local variables, control block.
  const auto begin = reinterpret_cast<std::uintptr_t>(c.top);
  const auto end = reinterpret_cast<std::uintptr_t>(c.stack_low) + c.stack_size;
  const std::size_t before = g_table->regions.size();
  if (!add_region(begin, end)) return;
  if (g_table->regions.size() == before) return;
  // Always used, and its first page is shared with the stack: not protected.
  for (std::uintptr_t a = begin; a < end; a = (a & ~(kPage - 1)) + kPage) {
    const Table::Page p = page_of(g_table->regions[before], a);
    g_table->state[p.index] = kHot;
    if (!g_table->hot.full()) g_table->hot.push(p);
  }
}

bool on_fault(std::uint64_t address) {
  if (!taken() || !open_page(address)) return false;
  ++g_table->counts.faults;
  return true;
}

namespace {

bool open_range(std::uintptr_t begin, std::size_t size) {
  bool any = false;
  for (std::uintptr_t p = begin & ~(kPage - 1); p < begin + size; p += kPage) any |= open_page(p);
  return any;
}

void open_vector(const iovec* parts, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    open_range(reinterpret_cast<std::uintptr_t>(parts[i].iov_base), parts[i].iov_len);
}

}  // namespace

void open_buffers(const SystemCall& c) {
  if (!taken()) return;
  switch (c.number) {
    case SYS_read:
    case SYS_pread64:
    case SYS_recvfrom:
    case SYS_getdents64:
      open_range(static_cast<std::uintptr_t>(c.a[1]), static_cast<std::size_t>(c.a[2]));
      return;
    case SYS_readv:
    case SYS_preadv:
      return open_vector(reinterpret_cast<const iovec*>(c.a[1]), static_cast<std::size_t>(c.a[2]));
    case SYS_recvmsg: {
      const auto& m = *reinterpret_cast<const msghdr*>(c.a[1]);
      return open_vector(m.msg_iov, m.msg_iovlen);
    }
    default:
      return;
  }
}

bool open_for(const SystemCall& call, unsigned pages) {
  if (!taken()) return false;
  bool any = false;
  for (const long a : call.a)
    if (const auto at = static_cast<std::uintptr_t>(a); find(at))
      any |= open_range(at, pages * kPage);
  return any;
}

namespace {

// Blocked and never taken: the next execution must not get them.
void forget_pending_signals() {
  std::uint64_t pending = 0;
  constexpr long kNow[2] = {};
  while (system_call(SYS_rt_sigpending, reinterpret_cast<long>(&pending), 8) == 0 && pending != 0)
    if (system_call(SYS_rt_sigtimedwait, reinterpret_cast<long>(&pending), 0,
                    reinterpret_cast<long>(kNow), 8) < 0)
      return;
}

}  // namespace

void restore_descriptors() {
  if (!taken() || !g_table->descriptors_changed) return;
  Table& t = *g_table;
  t.descriptors_changed = false;
  for (int fd = 0; fd < Table::kDescriptors; ++fd) {
    if (t.changed[fd]) {
      t.changed[fd] = false;
      if (t.copy[fd] == -1)
        system_call(SYS_close, fd);
      else if (t.copy[fd] >= 0)
        system_call(SYS_dup3, t.copy[fd], fd, t.closes[fd] ? O_CLOEXEC : 0);
    }
    if (t.flags_changed[fd]) {
      t.flags_changed[fd] = false;
      system_call(SYS_fcntl, t.copy[fd], F_SETFL, t.flags[fd]);
    }
    if (t.moved[fd]) {
      t.moved[fd] = false;
      if (t.position[fd] >= 0) system_call(SYS_lseek, fd, t.position[fd], SEEK_SET);
    }
  }
}

void restore() {
  if (!taken()) return;
  Table& t = *g_table;
  ++t.counts.restores;
  // Memory that the execution has mapped and not unmapped again.
  for (const Table::Mapping& m : t.mappings)
    if (m.size > 0 && !g_own_pages.has(m.begin))
      system_call(SYS_munmap, static_cast<long>(m.begin), static_cast<long>(m.size));
  t.mappings.clear();
  if (t.brk_changed) system_call(SYS_brk, static_cast<long>(t.brk));
  // What was written for the first time will be written again.
  for (const Table::Page& p : t.open) {
    t.state[p.index] = kHot;
    if (!t.hot.full()) t.hot.push(p);
  }
  t.open.clear();
  for (const Table::Page& p : t.hot) copy_back(p);
  t.counts.pages += t.hot.size();
  restore_descriptors();
  if (t.mask_changed) forget_pending_signals();
  if (t.directory_changed) system_call(SYS_fchdir, t.directory);
  if (t.umask_changed) system_call(SYS_umask, t.umask_value);
  if (t.signals_changed)
    for (int s = 1; s <= 64; ++s)
      if (s != SIGKILL && s != SIGSTOP)
        system_call(SYS_rt_sigaction, s, reinterpret_cast<long>(&t.handlers[s]), 0, 8);
  if (t.timer_set) {
    constexpr long kNever[4] = {};
    for (const long which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF})
      system_call(SYS_setitimer, which, reinterpret_cast<long>(kNever), 0);
  }
  if (t.mask_changed || t.signals_changed)
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&t.mask), 0, 8);
  t.brk_changed = t.directory_changed = t.umask_changed = t.signals_changed = t.mask_changed =
      t.timer_set = false;
}

}  // namespace jostle::snapshot
