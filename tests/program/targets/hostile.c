// Programs that do not behave. usage: hostile HOW
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int never;
static void* volatile block;

static void* end_at_once(void* unused) { return unused; }
// For ever, but not in a circle.
static void* take_turns(void* unused) {
  for (volatile long turn = 0;; ++turn) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void on_fault(int number) {
  (void)number;
  _exit(3);
}

__attribute__((constructor)) static void share(void) {
  if (!getenv("MARK_SHARE")) return;
  int* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *shared = 1;
}

static volatile char* guarded;
static volatile int opened;
static void open_guard(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  ++opened;
  mprotect(info->si_addr, 4096, PROT_READ | PROT_WRITE);
}
static void say_goodbye(int number) {
  (void)number;
  _exit(9);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "prints") == 0)
    for (;;) puts("and again, and again, and again, and again, and again, and again, and again");
  if (strcmp(how, "loops") == 0)
    while (!never) {
    }
  if (strcmp(how, "eats") == 0)
    for (;;) {
      block = malloc(1 << 20);
      if (!block) abort();
      memset(block, 1, 1 << 20);
    }
  if (strcmp(how, "fills") == 0) {
    const size_t size = strtoul(argv[2], NULL, 10) << 20;
    char* all = malloc(size);
    if (!all) return 5;
    for (size_t i = 0; i < size; i += 64) all[i] = 1;
    return 0;
  }
  if (strcmp(how, "listens") == 0) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    return listen(fd, 1) != 0 || accept(fd, NULL, NULL) < 0;
  }
  if (strcmp(how, "forks") == 0)
    for (int i = 0; i < 20; ++i)
      if (fork() == 0)
        for (;;) pause();
  if (strcmp(how, "forks-deep") == 0) {
    // Grandchildren in sessions of their own.
    for (int i = 0; i < 4; ++i)
      if (fork() == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        fork();
        fork();
        for (;;) pause();
      }
  }
  if (strcmp(how, "turns") == 0 || strcmp(how, "ignores") == 0) {
    if (strcmp(how, "ignores") == 0) {
      signal(SIGINT, SIG_IGN);
      signal(SIGTERM, SIG_IGN);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, take_turns, NULL);
    take_turns(NULL);
  }
  if (strcmp(how, "child") == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(4);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 4 ? 0 : 1;
  }
  if (strcmp(how, "system") == 0) return system("exit 0") == 0 ? 0 : 1;
  if (strcmp(how, "exec") == 0) {
    // It has lived: what it becomes is not what was meant.
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    execl("/bin/sh", "sh", "-c", "exit 5", (char*)NULL);
    return 1;
  }
  if (strcmp(how, "closes") == 0 || strcmp(how, "closes-range") == 0) {
    pthread_t thread;
    if (strcmp(how, "closes") == 0)
      for (int fd = 3; fd < 5000; ++fd) close(fd);
    else
      closefrom(3);
    return pthread_create(&thread, NULL, end_at_once, NULL) || pthread_join(thread, NULL);
  }
  if (strcmp(how, "polls") == 0) {
    // Whoever has the highest priority must not have it for ever.
    pthread_t thread;
    return pthread_create(&thread, NULL, take_turns, NULL);
  }
  if (strcmp(how, "exec-missing") == 0) {
    execl("/nowhere/at/all", "all", (char*)NULL);
    return 5;
  }
  if (strcmp(how, "handles") == 0) signal(SIGSEGV, on_fault);
  if (strcmp(how, "recovers") == 0) {
    static char alternate[1 << 16];
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    stack_t old;
    if (sigaltstack(&stack, NULL) != 0 || sigaltstack(NULL, &old) != 0) return 2;
    if (old.ss_sp != alternate) return 3;
    guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_sigaction = open_guard, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    *guarded = 7;
    return *guarded == 7 && opened == 1 ? 0 : 4;
  }
  if (strcmp(how, "says-goodbye") == 0) {
    signal(SIGSEGV, say_goodbye);
    *(volatile int*)(size_t)(argc - argc) = 1;
  }
  return 0;
}
