#include "runtime/descriptors.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/kernel_waits.h"
#include "runtime/system_call.h"
#include "sched/model/model.h"

namespace {

// One for each stream that an execution uses (see stream_of()). Only their addresses count: reports
// call a stream by the name of what lies there.
constexpr std::size_t kMaxStreams = 64;
std::uint64_t stream[kMaxStreams];

}  // namespace

namespace jostle::descriptors {
namespace {

// What is known to whoever takes something out. Each pipe has its own, known by its node; sockets,
// event counters and the like share the first one: nothing tells which two belong together.
struct Stream {
  dev_t device = 0;
  ino_t node = 0;
  Clock given = {};
};
Stream g_streams[kMaxStreams];
std::size_t g_stream_count = 1;
bool g_locks = false;  // something of the kind of is_lock_or_queue() was used

// Null: a file or a terminal. So are the standard streams, whatever they are: a schedule that was
// found with output to a pipe is replayed at a terminal.
Stream* stream_of(long fd) {
  if (fd <= STDERR_FILENO) return nullptr;
  struct stat st;
  if (system_call(SYS_fstat, fd, reinterpret_cast<long>(&st)) != 0) return nullptr;
  const mode_t type = st.st_mode & S_IFMT;
  if (type != 0 && type != S_IFIFO && type != S_IFSOCK) return nullptr;
  if (type != S_IFIFO) return &g_streams[0];
  for (std::size_t i = 1; i < g_stream_count; ++i)
    if (g_streams[i].node == st.st_ino && g_streams[i].device == st.st_dev) return &g_streams[i];
  if (g_stream_count == kMaxStreams) return &g_streams[0];
  g_streams[g_stream_count] = {st.st_dev, st.st_ino, {}};
  return &g_streams[g_stream_count++];
}

EventKind kind_of_use(const SystemCall& c) {
  if (writes(c.number) || c.number == SYS_sendfile) return EventKind::stream_write;
  return reads(c.number) ? EventKind::stream_read : EventKind::stream_use;
}

void use(Thread& t, const SystemCall& c, const Stream& s) {
  model::control_point(*t.scheduler, t, c.pc, reinterpret_cast<Address>(&stream[&s - g_streams]),
                       kind_of_use(c));
}

Stream* use_stream(Thread& t, const SystemCall& c) {
  Stream* used = stream_of(c.a[0]);
  if (used) use(t, c, *used);
  return used;
}

}  // namespace

bool writes(long number) {
  switch (number) {
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
      return true;
    default:
      return false;
  }
}

bool reads(long number) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
      return true;
    default:
      return false;
  }
}

bool gives(long number) {
  return writes(number) || number == SYS_sendfile || number == SYS_connect ||
         number == SYS_shutdown || number == SYS_close;
}

bool takes(long number) { return reads(number) || number == SYS_accept || number == SYS_accept4; }

bool numbers(long number) {
  switch (number) {
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat:
    case SYS_dup:
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_socket:
    case SYS_socketpair:
    case SYS_accept:
    case SYS_accept4:
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_epoll_create:
    case SYS_epoll_create1:
    case SYS_timerfd_create:
    case SYS_signalfd:
    case SYS_signalfd4:
    case SYS_inotify_init:
    case SYS_inotify_init1:
    case SYS_memfd_create:
      return true;
    default:
      return false;
  }
}

bool asks(long number) {
  switch (number) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return true;
    default:
      return false;
  }
}

namespace {

// Both ends of it were made in this execution: by the node of a pipe, or of a socket of a pair.
Nodes g_made;

mode_t look_at(int fd, ino_t& node) {
  struct stat st;
  if (system_call(SYS_fstat, fd, reinterpret_cast<long>(&st)) != 0) return S_IFREG;
  node = st.st_ino;
  return st.st_mode & S_IFMT;
}

void made(const int* ends) {
  for (int i = 0; i < 2 && g_made.count < Nodes::kMost; ++i)
    if (ino_t node; look_at(ends[i], node) != S_IFREG) g_made.node[g_made.count++] = node;
}

// Of a socket that is connected.
struct Ends {
  sockaddr_storage own, other;
  socklen_t own_length = sizeof own, other_length = sizeof other;
  explicit Ends(int fd) {
    if (!ask(SYS_getsockname, fd, own, own_length) ||
        !ask(SYS_getpeername, fd, other, other_length))
      own_length = other_length = 0;
  }
  static bool ask(long call, int fd, sockaddr_storage& out, socklen_t& length) {
    return system_call(call, fd, reinterpret_cast<long>(&out), reinterpret_cast<long>(&length)) ==
           0;
  }
  bool internet() const {
    return other_length > 0 && (own.ss_family == AF_INET || own.ss_family == AF_INET6);
  }
  bool face(const Ends& e) const {
    return own_length == e.other_length && other_length == e.own_length && own_length > 0 &&
           std::memcmp(&own, &e.other, own_length) == 0 &&
           std::memcmp(&other, &e.own, other_length) == 0;
  }
};

constexpr int kLooked = 1024;  // descriptors among which the other end is looked for

bool other_end_is_here(int fd) {
  const Ends ends(fd);
  ino_t node;
  if (!ends.internet()) return false;
  for (int other = 0; other < kLooked; ++other)
    if (other != fd && look_at(other, node) == S_IFSOCK && ends.face(Ends(other))) return true;
  return false;
}

long read_text(const char* path, char* out, std::size_t room) {
  const long file =
      system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const long n =
      system_call(SYS_read, file, reinterpret_cast<long>(out), static_cast<long>(room - 1));
  system_call(SYS_close, file);
  out[n > 0 ? n : 0] = 0;
  return n;
}

DescriptorKind kind_of(int fd, ino_t& node) {
  switch (look_at(fd, node)) {
    case S_IFIFO:
      return DescriptorKind::pipe;
    case S_IFSOCK:
      return DescriptorKind::socket;
    case 0: {
      char path[40], name[40] = "";
      std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
      const long n = system_call(SYS_readlink, reinterpret_cast<long>(path),
                                 reinterpret_cast<long>(name), sizeof name - 1);
      name[n > 0 ? n : 0] = 0;
      if (std::strcmp(name, "anon_inode:[eventfd]") == 0) return DescriptorKind::event_counter;
      if (std::strcmp(name, "anon_inode:[eventpoll]") == 0) return DescriptorKind::epoll;
      return DescriptorKind::unknown;
    }
    default:
      return DescriptorKind::unknown;
  }
}

// Everything that an epoll descriptor watches: the kernel lists it.
bool watches_inside(int fd) {
  char path[40], text[4096];
  std::snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  if (read_text(path, text, sizeof text) >= static_cast<long>(sizeof text) - 1) return false;
  for (const char* at = text; (at = std::strstr(at, "tfd:")) != nullptr;) {
    at += 4;
    const int watched = std::atoi(at);
    ino_t node;
    if (kind_of(watched, node) == DescriptorKind::epoll || !leads_inside(watched)) return false;
  }
  return true;
}

}  // namespace

// Locks of files, semaphores and message queues share the first stream, too.
void before_call(Thread& t, const SystemCall& c) {
  if (kernel_waits::is_lock_or_queue(c)) {
    g_locks = true;
    use(t, c, g_streams[0]);
    t.scheduler->release_join(t, g_streams[0].given);
  } else if (gives(c.number)) {
    if (Stream* used = use_stream(t, c))
      t.scheduler->release_join(t, used->given);
    else if (c.number == SYS_close && g_locks)  // closing a file gives its locks back
      t.scheduler->release_join(t, g_streams[0].given);
  } else if (takes(c.number)) {
    use_stream(t, c);
  }
}

void after_call(Thread& t, const SystemCall& c) {
  if (c.number == SYS_pipe || c.number == SYS_pipe2)
    return made(reinterpret_cast<const int*>(c.a[0]));
  if (c.number == SYS_socketpair) return made(reinterpret_cast<const int*>(c.a[3]));
  if (kernel_waits::is_lock_or_queue(c)) return t.scheduler->acquire(t, g_streams[0].given);
  if (takes(c.number)) {
    if (const Stream* used = stream_of(c.a[0])) t.scheduler->acquire(t, used->given);
    return;
  }
  if (asks(c.number))
    for (std::size_t i = 0; i < g_stream_count; ++i) t.scheduler->acquire(t, g_streams[i].given);
}
bool leads_inside(int fd) {
  ino_t node = 0;
  switch (kind_of(fd, node)) {
    case DescriptorKind::event_counter:
      return true;
    case DescriptorKind::epoll:
      return watches_inside(fd);
    case DescriptorKind::pipe:
    case DescriptorKind::socket:
      for (std::size_t i = 0; i < g_made.count; ++i)
        if (g_made.node[i] == node) return true;
      return other_end_is_here(fd);
    default:
      return false;
  }
}

AwaitedDescriptor described(const pollfd* descriptors, unsigned count) {
  AwaitedDescriptor d{};
  for (unsigned i = 0; i < count; ++i) {
    if (descriptors[i].fd < 0) continue;
    if (d.known) {
      d.several = true;
      break;
    }
    ino_t node = 0;
    d.known = true;
    d.number = static_cast<std::uint16_t>(descriptors[i].fd);
    d.kind = kind_of(descriptors[i].fd, node);
    d.writes = (descriptors[i].events & POLLIN) == 0;
  }
  return d;
}

void hand_on(Nodes& to) {
  for (std::size_t i = 0; i < g_made.count && to.count < Nodes::kMost; ++i)
    if (std::find(to.node, to.node + to.count, g_made.node[i]) == to.node + to.count)
      to.node[to.count++] = g_made.node[i];
}
void adopt(const Nodes& from) { g_made = from; }

void forget() {
  g_made.count = 0;
  g_stream_count = 1;
  g_streams[0] = {};
  g_locks = false;
}

}  // namespace jostle::descriptors
