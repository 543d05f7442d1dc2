// Prints all that an earlier execution could have left behind, and then leaves it behind.
// usage: state PART [addresses]
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int global = 1, zero;
static _Thread_local int local = 5;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* kept;
static int before = -1;  // a pipe from before main()
static volatile int handled;

__attribute__((constructor)) static void begin(void) {
  int ends[2];
  if (pipe(ends) != 0) abort();
  before = ends[0];
}
__attribute__((destructor)) static void end(void) { printf("destructor %d\n", global); }
static void at_exit(void) { printf("exit handler %d\n", zero); }
static void count(void) { ++zero; }
static void on_signal(int number) { handled += number; }
static void key_destructor(void* value) { free(value); }

static void* in_thread(void* unused) {
  pthread_mutex_lock(&mutex);
  printf("thread: local %d, key %d\n", local, pthread_getspecific(key) != NULL);
  local = 77;
  ++global;
  pthread_setspecific(key, malloc(100));
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void memory(int addresses) {
  pthread_t threads[2];
  pthread_once(&once, count);
  printf("once %d\n", zero);
  printf("key %d\n", pthread_key_create(&key, key_destructor));
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, in_thread, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("global %d, local %d, kept %s\n", global, local, kept ? kept : "nothing");
  local += 3;
  kept = malloc(1000);
  strcpy(kept, "something");
  char* large = malloc(1 << 20);
  memset(large, 'x', 1 << 20);
  char* map = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("fresh mapping %d\n", map[100]);
  map[100] = 9;
  void* const brk = sbrk(0);
  char* fresh = sbrk(8192);
  printf("fresh memory %d\n", fresh[8000]);
  memset(fresh, 'y', 8192);
  if (addresses) printf("%p %p\n", (void*)kept, brk);
  char* small = malloc(24);
  free(malloc(24));
  free(small);
  atexit(at_exit);
}

static void descriptors(void) {
  char byte = 0;
  printf("position %ld\n", (long)lseek(0, 0, SEEK_CUR));
  if (read(0, &byte, 1) == 1) printf("first byte %c\n", byte);
  const int null = open("/dev/null", O_RDWR);
  printf("next descriptor %d, flags %d\n", null, fcntl(0, F_GETFD));
  fcntl(0, F_SETFD, FD_CLOEXEC);
  int ends[2], pair[2];
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) abort();
  printf("pipe %d %d, sockets %d %d\n", ends[0], ends[1], pair[0], pair[1]);
  printf("event %d timer %d\n", eventfd(3, 0), timerfd_create(CLOCK_MONOTONIC, 0));
  printf("copy %d\n", dup2(1, 40));
  printf("standard error %d\n", fcntl(2, F_GETFD));
  close(2);
  lseek(0, 3, SEEK_SET);
  close(null);
}

static void flags(void) {
  printf("nonblocking %d\n", (fcntl(before, F_GETFL) & O_NONBLOCK) != 0);
  fcntl(before, F_SETFL, O_NONBLOCK);
}

static void process(void) {
  char path[400];
  const char* cwd = getcwd(path, sizeof path);
  printf("directory %s\n", cwd && strcmp(cwd, "/") == 0 ? "/" : "where it was started");
  if (chdir("/") != 0) abort();
  printf("umask %o\n", umask(0));
  printf("variables %s %s\n", getenv("MARK_A") ? getenv("MARK_A") : "none",
         getenv("MARK_B") ? getenv("MARK_B") : "none");
  setenv("MARK_A", "changed", 1);
  setenv("MARK_B", "added", 1);
  printf("random %ld %d\n", lrand48(), rand());
  strtok(strdup("a b"), " ");
  setvbuf(stdout, NULL, _IOFBF, 1 << 15);
  printf("no newline at the end");
}

static void signals(void) {
  struct sigaction action, old;
  sigset_t set;
  sigaction(SIGUSR1, NULL, &old);
  printf("handler %d", old.sa_handler == on_signal);
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  sigprocmask(SIG_SETMASK, NULL, &set);
  printf(" masked %d %d", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
  sigpending(&set);
  printf(" pending %d", sigismember(&set, SIGUSR2));
  raise(SIGUSR1);
  printf(" handled %d", handled == SIGUSR1);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGUSR2, on_signal);
  signal(SIGTERM, SIG_IGN);
  raise(SIGUSR2);  // stays pending
  printf(" alarm %u", alarm(1000));
  struct itimerval timer;
  getitimer(ITIMER_VIRTUAL, &timer);
  printf(" timer %ld\n", (long)timer.it_value.tv_sec);
  timer.it_value.tv_sec = 1000;
  timer.it_interval.tv_sec = 1000;
  setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

int main(int argc, char** argv) {
  const char* part = argc > 1 ? argv[1] : "";
  if (strcmp(part, "memory") == 0) memory(argc > 2);
  if (strcmp(part, "descriptors") == 0) descriptors();
  if (strcmp(part, "flags") == 0) flags();
  if (strcmp(part, "process") == 0) process();
  if (strcmp(part, "signals") == 0) signals();
  return 0;
}
