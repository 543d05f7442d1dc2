// Programs that fork: what their processes do together.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* add(void* arg) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  return arg;
}
static void* lose(void* arg) {
  pthread_mutex_lock(&lock);
  int seen = count;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  count = seen + 1;
  pthread_mutex_unlock(&lock);
  return arg;
}
static void* race(void* arg) {
  ++count;
  return arg;
}
static void* ab(void* arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return arg;
}
static void* ba(void* arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return arg;
}
static void both(void* (*f)(void*), void* (*g)(void*)) {
  pthread_t t, u;
  pthread_create(&t, NULL, f, NULL);
  pthread_create(&u, NULL, g, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
}

static int ended(pid_t child) {
  int status = -1;
  if (waitpid(child, &status, 0) != child) abort();
  return status;
}

// A child that starts threads, asked and answered through pipes.
static void asked(const char* what) {
  int go[2], back[2];
  char c;
  if (pipe(go) != 0 || pipe(back) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    if (read(go[0], &c, 1) != 1) _exit(1);
    count = 0;
    if (strcmp(what, "lost") == 0) both(lose, lose);
    if (strcmp(what, "race") == 0) both(race, race);
    if (strcmp(what, "deadlock") == 0) both(ab, ba);
    if (strcmp(what, "crash") == 0) *(volatile int*)8 = 1;
    if (strcmp(what, "correct") == 0) both(add, add);
    if (strcmp(what, "deadlock") != 0) assert(count == 2);
    if (write(back[1], "x", 1) != 1) _exit(2);
    exit(7);
  }
  pthread_t t;
  pthread_create(&t, NULL, add, NULL);
  if (write(go[1], "x", 1) != 1 || read(back[0], &c, 1) != 1) abort();
  pthread_join(t, NULL);
  const int status = ended(child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 7 && count == 1);
}

// It forks while another thread has the lock, which then stays locked in the child for ever.
static void inherited(void) {
  pthread_t t;
  pthread_create(&t, NULL, add, NULL);
  pid_t child = fork();
  if (child == 0) {
    add(NULL);
    _exit(0);
  }
  pthread_join(t, NULL);
  ended(child);
}

// The same with handlers that take the lock before a fork and give it back in both.
static void take(void) { pthread_mutex_lock(&lock); }
static void give(void) { pthread_mutex_unlock(&lock); }

// Each waits for the other to write first.
static void ring(void) {
  int down[2], up[2];
  char c;
  if (pipe(down) != 0 || pipe(up) != 0) abort();
  pid_t child = fork();
  if (read(child == 0 ? down[0] : up[0], &c, 1) != 1) abort();
  if (write(child == 0 ? up[1] : down[1], "x", 1) != 1) abort();
  if (child == 0) _exit(0);
  ended(child);
}

// It reads to the end of a pipe that it could write to itself.
static void no_end(void) {
  int ends[2];
  char c;
  if (pipe(ends) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    while (read(ends[0], &c, 1) > 0) {
    }
    _exit(0);
  }
  if (write(ends[1], "x", 1) != 1) abort();
  close(ends[1]);
  ended(child);
}

// Which of two processes is the first to write to memory that they share is a decision.
static void order(void) {
  int* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  if (child == 0) {
    add(NULL);
    if (*shared == 0) *shared = 1;
    add(NULL);
    _exit(0);
  }
  add(NULL);
  if (*shared == 0) *shared = 2;
  add(NULL);
  ended(child);
  assert(*shared == 2);
}

static void posts(void) {
  sem_t* s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&s[0], 1, 0);
  sem_init(&s[1], 1, 0);
  pid_t child = fork();
  for (int i = 0; i < 3; ++i) {
    if (child == 0) sem_wait(&s[0]);
    sem_post(&s[child == 0]);
    if (child != 0) sem_wait(&s[1]);
  }
  if (child == 0) _exit(3);
  assert(WEXITSTATUS(ended(child)) == 3);
}

// Locks in memory that the processes share.
static struct {
  pthread_mutex_t a, b;
  pthread_cond_t changed;
  pthread_rwlock_t gate;
  pthread_barrier_t start;
  int full, total;
}* common;

static void make_common(void) {
  pthread_mutexattr_t m;
  pthread_condattr_t c;
  pthread_rwlockattr_t r;
  pthread_barrierattr_t b;
  pthread_mutexattr_init(&m);
  pthread_condattr_init(&c);
  pthread_rwlockattr_init(&r);
  pthread_barrierattr_init(&b);
  pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
  pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED);
  pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
  common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutex_init(&common->a, &m);
  pthread_mutex_init(&common->b, &m);
  pthread_cond_init(&common->changed, &c);
  pthread_rwlock_init(&common->gate, &r);
  pthread_barrier_init(&common->start, &b, 2);
}

static void hand(int gives) {
  pthread_mutex_lock(&common->a);
  while (common->full == gives) pthread_cond_wait(&common->changed, &common->a);
  common->full = gives;
  common->total += gives;
  pthread_cond_signal(&common->changed);
  pthread_mutex_unlock(&common->a);
}
static void exchange(void) {
  make_common();
  pid_t child = fork();
  pthread_barrier_wait(&common->start);
  for (int i = 0; i < 3; ++i) hand(child != 0);
  pthread_rwlock_wrlock(&common->gate);
  const int seen = common->total;
  add(NULL);
  common->total = seen + 10;
  pthread_rwlock_unlock(&common->gate);
  if (child == 0) _exit(0);
  ended(child);
  assert(common->total == 23);
}
static void exchange_locks(void) {
  make_common();
  pid_t child = fork();
  pthread_mutex_t *first = child ? &common->a : &common->b, *then = child ? &common->b : &common->a;
  pthread_mutex_lock(first);
  pthread_mutex_lock(then);
  pthread_mutex_unlock(then);
  pthread_mutex_unlock(first);
  if (child == 0) _exit(0);
  ended(child);
}

static volatile sig_atomic_t handled;
static void handle(int number) { handled = number; }

static void signals(void) {
  signal(SIGUSR1, handle);
  signal(SIGCHLD, handle);
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, &before);
  pid_t child = fork();
  if (child == 0) {
    while (handled != SIGUSR1) sigsuspend(&before);
    _exit(5);
  }
  kill(child, SIGUSR1);
  while (handled != SIGCHLD) sigsuspend(&before);
  assert(WEXITSTATUS(ended(child)) == 5);
  child = fork();
  if (child == 0)
    for (;;) pause();
  kill(child, SIGTERM);
  int status = ended(child);
  assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  child = fork();
  if (child == 0)
    for (;;) pause();
  kill(child, SIGKILL);
  status = ended(child);
  assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

// A child of a child, and a process that outlives its parent.
static void generations(void) {
  int back[2];
  if (pipe(back) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      const struct timespec moment = {1, 0};
      nanosleep(&moment, NULL);
      if (write(back[1], "g", 1) != 1) abort();
      _exit(0);
    }
    _exit(4);
  }
  char c = 0;
  if (read(back[0], &c, 1) != 1) abort();
  assert(c == 'g' && WEXITSTATUS(ended(child)) == 4);
}

static void becomes(void) {
  int back[2];
  if (pipe(back) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    dup2(back[1], 1);
    close(back[0]);
    close(back[1]);
    execl("/nowhere/at/all", "all", NULL);
    execl("/bin/sh", "sh", "-c", "echo hello; exit 6", NULL);
    _exit(1);
  }
  close(back[1]);
  char text[16] = "";
  size_t n = 0;
  for (ssize_t r; n < sizeof text && (r = read(back[0], text + n, sizeof text - n)) > 0;) n += r;
  assert(n == 6 && memcmp(text, "hello\n", 6) == 0);
  assert(WEXITSTATUS(ended(child)) == 6);
}

// The parent does not wait for it; what it does counts all the same.
static void left_behind(void) {
  if (fork() != 0) return;
  both(lose, lose);
  assert(count == 2);
  _exit(0);
}

static void daemon_for_ever(void) {
  if (fork() != 0) return;
  for (;;) {
    const struct timespec moment = {1, 0};
    nanosleep(&moment, NULL);
    add(NULL);
  }
}

static void handlers(void) {
  pthread_atfork(take, give, give);
  inherited();
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "correct";
  static const struct {
    const char* name;
    void (*part)(void);
  } parts[] = {{"inherited", inherited},
               {"handlers", handlers},
               {"ring", ring},
               {"no-end", no_end},
               {"order", order},
               {"posts", posts},
               {"exchange", exchange},
               {"exchange-locks", exchange_locks},
               {"signals", signals},
               {"generations", generations},
               {"becomes", becomes},
               {"left-behind", left_behind},
               {"daemon", daemon_for_ever}};
  const unsigned count = sizeof parts / sizeof *parts;
  unsigned i = 0;
  while (i < count && strcmp(what, parts[i].name) != 0) ++i;
  if (i < count)
    parts[i].part();
  else
    asked(what);
  printf("done\n");
  return 0;
}
