#include "runtime/kernel_waits.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <iterator>

#include "runtime/outside.h"
#include "runtime/system_call.h"
#include "sched/scheduler.h"

namespace jostle::kernel_waits {
namespace {

constexpr const char* kWhat = "wait for a lock or a queue of the system";

// The call as it does not wait, and what it gives when it would have to.
struct Attempt {
  SystemCall call;
  long would_wait;
  bool lock;  // then it is given back when somebody else has made it, to see whether it would work
  mutable bool made = false;
  mutable long result = 0;
};

// Where one cannot just look, the call is made on behalf of the thread that waits.
bool succeeds(const outside::Wait& w) {
  const auto& a = *static_cast<const Attempt*>(w.of);
  if (a.made) return true;
  a.result = pass_system_call(a.call);
  if (a.result == a.would_wait) return false;
  if (a.lock) {
    if (a.result == 0) system_call(SYS_flock, a.call.a[0], LOCK_UN);
  } else {
    a.made = true;
  }
  return true;
}

long try_until(Thread& t, const Attempt& a, std::uint64_t deadline) {
  const Scheduler& s = *t.scheduler;
  for (;;) {
    if (a.made) return a.result;
    const long r = pass_system_call(a.call);
    if (r != a.would_wait || (deadline != 0 && s.now(t) >= deadline)) return r;
    outside::Wait w{.what = kWhat, .ready = &succeeds, .of = &a};
    outside::wait(t, w, a.call.pc, deadline);
    if (t.handled && !t.restarts && !a.made) return -EINTR;
  }
}

long lock_file(Thread& t, const SystemCall& c) {
  if ((c.a[1] & LOCK_NB) != 0 || c.a[1] == LOCK_UN) return pass_system_call(c);
  Attempt a{c, -EAGAIN, true};
  a.call.a[1] |= LOCK_NB;
  return try_until(t, a, 0);
}

long lock_range(Thread& t, const SystemCall& c) {
  Attempt a{c, -EAGAIN, false};
  a.call.a[1] = c.a[1] == F_SETLKW ? F_SETLK : F_OFD_SETLK;
  return try_until(t, a, 0);
}

long operate_on_semaphores(Thread& t, const SystemCall& c) {
  sembuf operations[32];
  const auto* given = reinterpret_cast<const sembuf*>(c.a[1]);
  const auto count = static_cast<std::size_t>(c.a[2]);
  if (count > std::size(operations)) return pass_system_call(c);
  for (std::size_t i = 0; i < count; ++i) {
    if (given[i].sem_flg & IPC_NOWAIT) return pass_system_call(c);
    operations[i] = given[i];
    operations[i].sem_flg |= IPC_NOWAIT;
  }
  const auto* limit =
      c.number == SYS_semtimedop ? reinterpret_cast<const timespec*>(c.a[3]) : nullptr;
  Attempt a{c, -EAGAIN, false};
  a.call.a[1] = reinterpret_cast<long>(operations);
  a.call.a[3] = 0;
  return try_until(t, a,
                   limit ? t.scheduler->now(t) +
                               static_cast<std::uint64_t>(limit->tv_sec) * 1'000'000'000 +
                               static_cast<std::uint64_t>(limit->tv_nsec)
                         : 0);
}

long send_or_receive(Thread& t, const SystemCall& c) {
  const int flags = c.number == SYS_msgsnd ? 3 : 4;
  if (c.a[flags] & IPC_NOWAIT) return pass_system_call(c);
  Attempt a{c, c.number == SYS_msgsnd ? -EAGAIN : -ENOMSG, false};
  a.call.a[flags] |= IPC_NOWAIT;
  return try_until(t, a, 0);
}

// Queues with names: a limit that is long past makes them not wait.
long queue(Thread& t, const SystemCall& c) {
  static const timespec kPast = {0, 0};
  const auto* limit = reinterpret_cast<const timespec*>(c.a[4]);
  if (system_call(SYS_fcntl, c.a[0], F_GETFL) & O_NONBLOCK) return pass_system_call(c);
  Attempt a{c, -ETIMEDOUT, false};
  a.call.a[4] = reinterpret_cast<long>(&kPast);
  return try_until(t, a,
                   limit
                       ? virtual_deadline(CLOCK_REALTIME, static_cast<std::uint64_t>(limit->tv_sec),
                                          static_cast<std::uint64_t>(limit->tv_nsec))
                       : 0);
}

// --- opening a FIFO, which waits for the other side
// -----------------------------------------------

int path_argument(const SystemCall& c) { return c.number == SYS_open ? 0 : 1; }

bool opens_fifo(const SystemCall& c) {
  const int path = path_argument(c);
  const long flags = c.a[path + 1];
  if ((flags & (O_NONBLOCK | O_PATH)) != 0 || (flags & O_ACCMODE) == O_RDWR) return false;
  struct stat st;
  return system_call(SYS_newfstatat, path == 0 ? AT_FDCWD : c.a[0], c.a[path],
                     reinterpret_cast<long>(&st), 0) == 0 &&
         S_ISFIFO(st.st_mode);
}

// Nothing is there yet, but somebody could write: only then a copy of nothing would have to wait.
bool has_writer(int fd) {
  pollfd p{fd, POLLIN, 0};
  if (system_call(SYS_poll, reinterpret_cast<long>(&p), 1, 0) != 0) return true;
  int scratch[2];
  if (system_call(SYS_pipe2, reinterpret_cast<long>(scratch), O_CLOEXEC) != 0) return true;
  const long r = system_call(SYS_tee, fd, scratch[1], 1, 2 /* SPLICE_F_NONBLOCK */);
  for (const int end : scratch) system_call(SYS_close, end);
  return r != 0;
}

long open_fifo(Thread& t, const SystemCall& c) {
  const int flags = path_argument(c) + 1;
  Attempt a{c, -ENXIO, false};
  a.call.a[flags] |= O_NONBLOCK;
  const long fd = try_until(t, a, 0);
  if (fd < 0) return fd;
  if ((c.a[flags] & O_ACCMODE) == O_RDONLY)
    while (!has_writer(static_cast<int>(fd))) {
      const int number = static_cast<int>(fd);
      outside::look();  // who opens it for writing can go on
      outside::Wait w{
          .what = kWhat,
          .ready =
              [](const outside::Wait& o) { return has_writer(*static_cast<const int*>(o.of)); },
          .of = &number};
      outside::wait(t, w, c.pc);
      if (!t.handled || t.restarts) continue;
      pass_system_call({SYS_close, {fd}, c.pc});
      return -EINTR;
    }
  system_call(SYS_fcntl, fd, F_SETFL, system_call(SYS_fcntl, fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

}  // namespace

bool stirs(long number) {
  switch (number) {
    case SYS_flock:
    case SYS_fcntl:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_semctl:
    case SYS_msgsnd:
    case SYS_msgrcv:
    case SYS_msgctl:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_open:
    case SYS_openat:
      return true;
    default:
      return false;
  }
}

bool is_lock_or_queue(const SystemCall& c) {
  switch (c.number) {
    case SYS_flock:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgsnd:
    case SYS_msgrcv:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
      return true;
    case SYS_fcntl:
      return c.a[1] == F_SETLK || c.a[1] == F_SETLKW || c.a[1] == F_OFD_SETLK ||
             c.a[1] == F_OFD_SETLKW;
    default:
      return false;
  }
}

bool is_call(const SystemCall& c) {
  switch (c.number) {
    case SYS_open:
    case SYS_openat:
      return opens_fifo(c);
    case SYS_fcntl:
      return c.a[1] == F_SETLKW || c.a[1] == F_OFD_SETLKW;
    default:
      return is_lock_or_queue(c);
  }
}

long call(Thread& t, const SystemCall& c) {
  switch (c.number) {
    case SYS_flock:
      return lock_file(t, c);
    case SYS_fcntl:
      return lock_range(t, c);
    case SYS_semop:
    case SYS_semtimedop:
      return operate_on_semaphores(t, c);
    case SYS_msgsnd:
    case SYS_msgrcv:
      return send_or_receive(t, c);
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
      return queue(t, c);
    default:
      return open_fifo(t, c);
  }
}

}  // namespace jostle::kernel_waits
