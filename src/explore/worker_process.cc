#include "explore/worker_process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "explore/keeper.h"
#include "explore/rounds.h"

namespace jostle::explore {

Problem death_of(int status, bool stuck) {
  Problem p;
  if (stuck) {
    p.kind = FindingKind::timeout;
    std::snprintf(p.message, sizeof p.message,
                  "the process made no step and did not answer: it was killed");
    return p;
  }
  p.kind = WIFSIGNALED(status) ? FindingKind::crash : FindingKind::exit_code;
  p.code = static_cast<std::uint32_t>(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    std::snprintf(p.message, sizeof p.message, "killed by signal %d (%s)", WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
  else
    std::snprintf(p.message, sizeof p.message, "the process ended with code %d",
                  WEXITSTATUS(status));
  return p;
}

namespace {

void no_process() {
  std::fprintf(stderr, "jostle: error: no process can be made: %s\n", std::strerror(errno));
}

}  // namespace

bool ready(int fd, int milliseconds) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, milliseconds) > 0;
}

bool Patience::over(std::uint64_t progress) {
  if (progress != seen_ || since_ == 0) since_ = monotonic_seconds();
  seen_ = progress;
  over_ = over_ || monotonic_seconds() - since_ > limit_;
  return over_;
}

void WorkerProcess::start(const std::function<void(int, int)>& serve) {
  int to[2], from[2];
  if (!make_pipe(to)) return no_process();
  if (!make_pipe(from)) {
    close(to[0]);
    close(to[1]);
    return no_process();
  }
  pid = fork_helper();
  if (pid == 0) {
    close(to[1]);
    close(from[0]);
    serve(to[0], from[1]);
    _exit(0);
  }
  if (pid < 0) no_process();
  close(to[0]);
  close(from[1]);
  down = to[1];
  up = from[0];
}

void WorkerProcess::kill() const {
  if (alive()) ::kill(pid, SIGKILL);
}

bool WorkerProcess::tell() {
  if (!alive()) return false;
  // One that has died must not take us along. The disposition of the signal stays as it is: it is
  // the program's.
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const char go = 'r';
  ssize_t n;
  do n = write(down, &go, 1);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EPIPE) {
    const timespec now = {};
    while (sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return n == 1;
}

bool WorkerProcess::answer() {
  if (!alive()) return false;
  char c;
  ssize_t n;
  do n = read(up, &c, 1);
  while (n < 0 && errno == EINTR);
  return n == 1;
}

int WorkerProcess::end() {
  if (!alive()) return 0;
  close(down);
  close(up);
  kill();
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  pid = -1;
  return status;
}

}  // namespace jostle::explore
