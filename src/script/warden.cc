#include "script/warden.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>

namespace jostle::scripts {
namespace {

void kill_children(pid_t main) {
  kill(-main, SIGKILL);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", getpid(), getpid());
  if (std::FILE* f = std::fopen(path, "r")) {
    for (int pid; std::fscanf(f, "%d", &pid) == 1;) kill(pid, SIGKILL);
    std::fclose(f);
  }
}

// What the children leave behind becomes a child itself: in the end there is none.
[[noreturn]] void end_all(pid_t main) {
  for (;;) {
    kill_children(main);
    if (waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) _exit(0);
  }
}

[[noreturn]] void guard(Board& board, Board::Start& start, pid_t main, const sigset_t& signals) {
  for (;;) {
    const int number = sigwaitinfo(&signals, nullptr);
    if (number == SIGTERM) end_all(main);
    int status;
    for (pid_t p; (p = waitpid(-1, &status, WNOHANG)) != 0;) {
      if (p == main) {
        start.status = status;
        start.ended.store(1);
        raise_news(board);
      }
      if (p < 0) break;  // no child is left: until the driver says so, for daemons to come
    }
  }
}

}  // namespace

void raise_news(Board& board) {
  board.news.fetch_add(1);
  syscall(SYS_futex, &board.news, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

pid_t start_guarded(Board& board, Board::Start& start, const std::function<void()>& child) {
  const pid_t driver = getpid();
  std::fflush(nullptr);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t warden = fork();
  if (warden != 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return warden;
  }
  setpgid(0, 0);  // Ctrl-C is for the driver
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_NAME, "jostle-warden");
  if (getppid() != driver) _exit(0);
  signal(SIGCHLD, SIG_DFL);
  const pid_t self = getpid();
  const pid_t main = fork();
  if (main == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(0);
    start.pid.store(getpid());
    sigprocmask(SIG_SETMASK, &before, nullptr);
    child();
    _exit(0);
  }
  if (main < 0) _exit(1);
  sigset_t mine;
  sigemptyset(&mine);
  sigaddset(&mine, SIGCHLD);
  sigaddset(&mine, SIGTERM);
  guard(board, start, main, mine);
}

void end_guarded(pid_t warden) {
  kill(warden, SIGTERM);
  while (waitpid(warden, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace jostle::scripts
