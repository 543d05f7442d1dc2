// Signals that threads send to each other. Each part checks what it can and prints what it did.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what)                                       \
  do {                                                    \
    if (!(what)) {                                        \
      printf("line %d: not true: %s\n", __LINE__, #what); \
      exit(3);                                            \
    }                                                     \
  } while (0)

static atomic_int handled, told;
static _Atomic pthread_t handler_thread;
static int ends[2];

static void on_signal(int number) {
  (void)number;
  atomic_store(&handler_thread, pthread_self());
  atomic_fetch_add(&handled, 1);
}

static void handle(int number, int flags) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
  CHECK(sigaction(number, &action, NULL) == 0);
}

static sigset_t just(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

static void block(int number) {
  const sigset_t set = just(number);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static int is_blocked(int number) {
  sigset_t now;
  CHECK(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
  return sigismember(&now, number);
}

static int is_pending(int number) {
  sigset_t now;
  CHECK(sigpending(&now) == 0);
  return sigismember(&now, number);
}

static void a_moment(void) {
  const struct timespec little = {0, 1000};
  nanosleep(&little, NULL);
}
static void wait_for(atomic_int* flag) {
  while (!atomic_load(flag)) a_moment();
}

static pthread_t start(void* (*work)(void*)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
  return thread;
}
static void end(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

// --- a thread that does nothing but wait for signals, until it is told to stop by one
// -----------------

static void* take_signals(void* unused) {
  sigset_t set = just(SIGUSR1);
  int number = 0;
  sigaddset(&set, SIGUSR2);
  do CHECK(sigwait(&set, &number) == 0);
  while (number != SIGUSR2);
  return unused;
}
static void* work(void* unused) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
static void ended_by_a_signal(void) {
  block(SIGUSR1);
  block(SIGUSR2);
  const pthread_t waits = start(take_signals), works[2] = {start(work), start(work)};
  CHECK(pthread_kill(waits, SIGUSR1) == 0);
  for (int i = 0; i < 2; ++i) end(works[i]);
  CHECK(pthread_kill(waits, SIGUSR2) == 0);
  end(waits);
}

// --- masks
// ---------------------------------------------------------------------------------------------

static void* block_and_take(void* unused) {
  CHECK(!is_blocked(SIGUSR1));
  block(SIGUSR1);
  atomic_store(&told, 1);
  while (!is_pending(SIGUSR1)) a_moment();
  CHECK(is_blocked(SIGUSR1) && atomic_load(&handled) == 0);
  const sigset_t set = just(SIGUSR1);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
  CHECK(atomic_load(&handled) == 1);
  CHECK(pthread_equal(atomic_load(&handler_thread), pthread_self()));
  return unused;
}
static void own_masks(void) {
  handle(SIGUSR1, 0);
  const pthread_t other = start(block_and_take);
  wait_for(&told);
  CHECK(!is_blocked(SIGUSR1));
  CHECK(pthread_kill(other, SIGUSR1) == 0);
  CHECK(!is_pending(SIGUSR1));
  end(other);
  CHECK(!is_blocked(SIGUSR1));
}

static void* inherits(void* unused) {
  CHECK(is_blocked(SIGUSR1));
  return unused;
}
static void inherited(void) {
  block(SIGUSR1);
  end(start(inherits));
}

// --- handlers
// ------------------------------------------------------------------------------------------

static void* wait_for_handler(void* unused) {
  wait_for(&handled);
  CHECK(pthread_equal(atomic_load(&handler_thread), pthread_self()));
  return unused;
}
static void handled_by_its_receiver(void) {
  handle(SIGUSR1, 0);
  const pthread_t other = start(wait_for_handler);
  CHECK(pthread_kill(other, SIGUSR1) == 0);
  end(other);
}
static void sent_to_the_process(void) {
  handle(SIGUSR1, 0);
  const pthread_t other = start(wait_for_handler);
  block(SIGUSR1);
  CHECK(kill(getpid(), SIGUSR1) == 0);  // only one of the two can have it
  end(other);
}

static void* read_until_interrupted(void* unused) {
  char byte;
  CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR);
  CHECK(pthread_equal(atomic_load(&handler_thread), pthread_self()));
  atomic_store(&told, 1);
  return unused;
}
static void* read_and_go_on(void* unused) {
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1 && byte == 'x');
  return unused;
}
static void interrupted_read(void) {
  handle(SIGUSR1, 0);
  CHECK(pipe(ends) == 0);
  const pthread_t other = start(read_until_interrupted);
  // It may not have got to the call yet.
  while (!atomic_load(&told)) {
    pthread_kill(other, SIGUSR1);
    a_moment();
  }
  end(other);
}
static void restarted_read(void) {
  handle(SIGUSR1, SA_RESTART);
  CHECK(pipe(ends) == 0);
  const pthread_t other = start(read_and_go_on);
  CHECK(pthread_kill(other, SIGUSR1) == 0);
  wait_for(&handled);
  CHECK(write(ends[1], "x", 1) == 1);
  end(other);
}

// --- time
// ------------------------------------------------------------------------------------------------

static void an_hour(void) {
  block(SIGUSR1);
  const sigset_t set = just(SIGUSR1);
  const struct timespec hour = {3600, 0};
  CHECK(sigtimedwait(&set, NULL, &hour) == -1 && errno == EAGAIN);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*part)(void);
  } parts[] = {{"ended-by-a-signal", ended_by_a_signal},
               {"own-masks", own_masks},
               {"inherited", inherited},
               {"handled-by-its-receiver", handled_by_its_receiver},
               {"sent-to-the-process", sent_to_the_process},
               {"interrupted-read", interrupted_read},
               {"restarted-read", restarted_read},
               {"an-hour", an_hour}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
      parts[i].part();
      printf("%s\n", argv[1]);
      return 0;
    }
  return 99;
}
