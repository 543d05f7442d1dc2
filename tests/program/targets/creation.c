// Threads and processes created by the system call itself; then two threads that are as always.
// Argument: what is created.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[1 << 16];
static int event;

static int leave_with(void* status) { _exit(*(int*)status); }
// It has no thread-local storage of its own, so it calls nobody.
static int stay(void* ignored) {
  (void)ignored;
  for (long result;;)
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_pause) : "rcx", "r11", "memory");
  return 0;
}
static void* tell(void* ignored) {
  eventfd_write(event, 1);
  return ignored;
}

static int ends_with(long process, int expected) {
  int status;
  if (process == 0) _exit(expected);
  return process > 0 && waitpid((pid_t)process, &status, 0) == process && WIFEXITED(status) &&
         WEXITSTATUS(status) == expected;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  char* const top = stack + sizeof stack;
  int status = 7;
  event = eventfd(0, 0);
  if (strcmp(what, "thread") == 0) {
    const int flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (clone(stay, top, flags, 0) < 0) return 2;
  } else if (strcmp(what, "process") == 0) {
    if (!ends_with(clone(leave_with, top, SIGCHLD, &status), 7)) return 3;
  } else if (strcmp(what, "borrower") == 0) {
    if (!ends_with(clone(leave_with, top, SIGCHLD | CLONE_VM | CLONE_VFORK, &status), 7)) return 4;
  } else if (strcmp(what, "copy") == 0) {
    if (!ends_with(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), 8)) return 5;
    if (!ends_with(syscall(SYS_fork), 9)) return 6;
    if (!ends_with(_Fork(), 10)) return 7;
  } else if (strcmp(what, "stays") == 0) {
    if (clone(stay, top, SIGCHLD, 0) < 0) return 8;
  } else {
    return 9;
  }
  // A wait in a system call that nobody stands in for, which only another thread ends.
  pthread_t other;
  struct epoll_event e = {.events = EPOLLIN};
  const int fd = epoll_create1(0);
  epoll_ctl(fd, EPOLL_CTL_ADD, event, &e);
  pthread_create(&other, 0, tell, 0);
  if (epoll_wait(fd, &e, 1, -1) != 1) return 10;
  pthread_join(other, 0);
  return 0;
}
