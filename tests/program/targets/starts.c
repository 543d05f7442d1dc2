// A program that starts itself again, in several ways: starts HOW PART, where PART is what the new
// process does.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static const char* self;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  const int seen = count;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  count = seen + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void two(void* (*body)(void*)) {
  pthread_t a, b;
  pthread_create(&a, NULL, body, NULL);
  pthread_create(&b, NULL, body, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

// --- what the new process does
// ----------------------------------------------------------------------

static int lost(void) {
  two(add);
  assert(count == 2);
  return 0;
}

static void* add_locked(void* unused) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  return unused;
}

static int correct(void) {
  two(add_locked);
  printf("%d\n", count);
  return count == 2 ? 0 : 1;
}

static int crash(void) {
  two(add);
  if (count != 2) *(volatile int*)NULL = 1;
  return 0;
}

static void* add_alone(void* unused) {
  ++count;
  return unused;
}

static int race(void) {
  two(add_alone);
  return 0;
}

static int forks(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(lost());
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}

// What it finds must be what its starter has.
static int surroundings(void) {
  int bad = getenv("MARK") == NULL || strcmp(getenv("MARK"), "here") != 0;
  for (char** e = environ; *e; ++e)
    bad |= strncmp(*e, "JOSTLE_", 7) == 0 || strncmp(*e, "LD_PRELOAD=", 11) == 0;
  for (int fd = 3; fd < 100; ++fd) bad |= fcntl(fd, F_GETFD) >= 0;
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  bad |= !sigismember(&mask, SIGUSR1) || sigismember(&mask, SIGUSR2);
  struct sigaction action;
  sigaction(SIGPIPE, NULL, &action);
  bad |= action.sa_handler != SIG_IGN;
  sigaction(SIGUSR2, NULL, &action);
  bad |= action.sa_handler != SIG_DFL;
  return bad;
}

static volatile sig_atomic_t told;
static void on_signal(int number) { told = number; }

// Ends when it is told to.
static int waits_for_signal(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigset_t usr1, before;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, &before);
  sigaction(SIGUSR1, &action, NULL);
  if (write(STDOUT_FILENO, "r", 1) != 1) return 1;
  sigdelset(&before, SIGUSR1);
  while (!told) sigsuspend(&before);
  return told == SIGUSR1 ? 0 : 1;
}

static int for_ever(void) {
  if (write(STDOUT_FILENO, "r", 1) != 1) return 1;
  for (;;) pause();
}

static int copies(void) {
  char c;
  while (read(STDIN_FILENO, &c, 1) == 1)
    if (write(STDOUT_FILENO, &c, 1) != 1) return 1;
  return 0;
}

static int part(const char* name) {
  static const struct {
    const char* name;
    int (*body)(void);
  } all[] = {{"lost", lost},
             {"correct", correct},
             {"crash", crash},
             {"forks", forks},
             {"surroundings", surroundings},
             {"signal", waits_for_signal},
             {"for-ever", for_ever},
             {"copies", copies},
             {"race", race}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, name) == 0) {
      const int code = all[i].body();
      fflush(stdout);
      return code;
    }
  return 99;
}

// --- how it is started
// ------------------------------------------------------------------------------

static int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 100; }

static int end_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 98;
  return code_of(status);
}

static void become(const char* what) {
  execl(self, self, "part", what, (char*)NULL);
  _exit(97);
}

static pid_t spawn(const char* what, int in, int out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (in >= 0) posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  if (out >= 0) posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  char* const argv[] = {(char*)self, "part", (char*)what, NULL};
  pid_t child = -1;
  if (posix_spawn(&child, self, &actions, NULL, argv, environ) != 0) _exit(96);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

static void* becomes(void* what) {
  become(what);
  return NULL;
}

static int by(const char* how, const char* what) {
  char command[4096];
  snprintf(command, sizeof command, "%s part %s", self, what);
  if (strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) become(what);
    return end_of(child);
  }
  if (strcmp(how, "descriptor") == 0 || strcmp(how, "nameless") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      const int program = open(self, O_RDONLY | O_CLOEXEC);
      int named = program;
      if (strcmp(how, "nameless") == 0) {
        char bytes[65536];
        named = memfd_create("nameless", MFD_CLOEXEC);
        for (ssize_t n; (n = read(program, bytes, sizeof bytes)) > 0;)
          if (write(named, bytes, (size_t)n) != n) _exit(90);
      }
      char* const argv[] = {(char*)self, "part", (char*)what, NULL};
      fexecve(named, argv, environ);
      _exit(97);
    }
    return end_of(child);
  }
  if (strcmp(how, "thread") == 0) {  // another thread than the first of the process becomes it
    const pid_t child = fork();
    if (child == 0) {
      pthread_t t;
      pthread_create(&t, NULL, becomes, (void*)what);
      for (;;) pause();
    }
    return end_of(child);
  }
  if (strcmp(how, "search") == 0) {  // the first two places that are looked at do not have it
    const pid_t child = fork();
    if (child == 0) {
      execl("/nowhere/starts", "starts", (char*)NULL);
      if (errno != ENOENT) _exit(95);
      execl("/", "starts", (char*)NULL);
      if (errno != EACCES) _exit(94);
      become(what);
    }
    return end_of(child);
  }
  if (strcmp(how, "spawn") == 0) return end_of(spawn(what, -1, -1));
  if (strcmp(how, "system") == 0) return code_of(system(command));
  if (strcmp(how, "popen") == 0) {
    FILE* f = popen(command, "r");
    char line[100] = "";
    while (fgets(line, sizeof line, f)) fputs(line, stdout);
    return code_of(pclose(f));
  }
  if (strcmp(how, "first") == 0) {  // the process that was started first, but not at once
    two(add_locked);
    fflush(stdout);
    become(what);
  }
  if (strcmp(how, "clean") == 0) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR2, on_signal);
    setenv("MARK", "here", 1);
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    const pid_t child = fork();
    if (child == 0) {
      close_range(3, ~0u, 0);
      become(what);
    }
    return end_of(child);
  }
  if (strcmp(how, "kill") == 0 || strcmp(how, "end") == 0) {
    int ends[2];
    char c;
    if (pipe(ends) != 0) return 93;
    const pid_t child = spawn(what, -1, ends[1]);
    if (read(ends[0], &c, 1) != 1) return 92;
    kill(child, strcmp(how, "kill") == 0 ? SIGUSR1 : SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    return strcmp(how, "kill") == 0 ? code_of(status)
                                    : !(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  }
  if (strcmp(how, "filter") == 0) {  // through a process and back
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return 91;
    const pid_t child = spawn(what, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    char line[6] = "";
    if (write(to[1], "hello", 5) != 5) return 90;
    close(to[1]);
    for (int i = 0; i < 5; ++i)
      if (read(from[0], line + i, 1) != 1) return 89;
    return strcmp(line, "hello") == 0 ? end_of(child) : 88;
  }
  if (strcmp(how, "ring") == 0) {  // two processes, each of which waits for the other
    int a[2], b[2];
    if (pipe2(a, O_CLOEXEC) != 0 || pipe2(b, O_CLOEXEC) != 0) return 91;
    const pid_t first = spawn(what, a[0], b[1]), second = spawn(what, b[0], a[1]);
    return end_of(first) + end_of(second);
  }
  return 99;
}

int main(int argc, char** argv) {
  self = argv[0];
  if (argc < 3) return 2;
  if (strcmp(argv[1], "part") == 0) return part(argv[2]);
  const int code = by(argv[1], argv[2]);
  if (code == 0) puts("done");
  return code;
}
