#include "runtime/descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

Stream* use_stream(Thread& t, const SystemCall& c) {
  Stream* used = stream_of(c.a[0]);
  if (used)
    model::control_point(*t.scheduler, t, c.pc,
                         reinterpret_cast<Address>(&stream[used - g_streams]));
  return used;
}

}  // namespace

bool gives(long number) {
  switch (number) {
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_sendfile:
    case SYS_connect:
    case SYS_shutdown:
    case SYS_close:
      return true;
    default:
      return false;
  }
}

bool takes(long number) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_accept:
    case SYS_accept4:
      return true;
    default:
      return false;
  }
}

// Locks of files, semaphores and message queues share the first stream, too.
void before_call(Thread& t, const SystemCall& c) {
  if (kernel_waits::is_lock_or_queue(c)) {
    g_locks = true;
    model::control_point(*t.scheduler, t, c.pc, reinterpret_cast<Address>(&stream[0]));
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
  if (kernel_waits::is_lock_or_queue(c)) return t.scheduler->acquire(t, g_streams[0].given);
  if (takes(c.number)) {
    if (const Stream* used = stream_of(c.a[0])) t.scheduler->acquire(t, used->given);
    return;
  }
  switch (c.number) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      for (std::size_t i = 0; i < g_stream_count; ++i) t.scheduler->acquire(t, g_streams[i].given);
      break;
    default:
      break;
  }
}
void forget() {
  g_stream_count = 1;
  g_streams[0] = {};
  g_locks = false;
}

}  // namespace jostle::descriptors
