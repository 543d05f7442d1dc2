// Signals that threads send to each other. Each part checks what it can and prints what it did.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

// --- threads that wait: the handler runs on theirs, and the wait goes on
// --------------------------------

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int word, ready, woken_for_nothing;

static void interrupt_and_wait(pthread_t other) {
  wait_for(&told);
  CHECK(pthread_kill(other, SIGUSR1) == 0);
  wait_for(&handled);
  CHECK(pthread_equal(atomic_load(&handler_thread), other));
}

static void* lock_mutex(void* unused) {
  atomic_store(&told, 1);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(ready == 1);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return unused;
}
static void* time_mutex(void* unused) {
  const struct timespec far = {4000000000, 0};
  atomic_store(&told, 1);
  const int r = pthread_mutex_timedlock(&mutex, &far);
  CHECK(r == ETIMEDOUT || (r == 0 && ready == 1 && pthread_mutex_unlock(&mutex) == 0));
  wait_for(&handled);  // on this thread, even if time was up before
  return unused;
}
static void with_mutex(void* (*waits)(void*)) {
  handle(SIGUSR1, 0);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  const pthread_t other = start(waits);
  interrupt_and_wait(other);
  ready = 1;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  end(other);
}
static void waits_for_mutex(void) { with_mutex(lock_mutex); }
static void waits_for_mutex_and_time(void) { with_mutex(time_mutex); }

static void* write_lock(void* unused) {
  atomic_store(&told, 1);
  CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
  CHECK(ready == 1);
  CHECK(pthread_rwlock_unlock(&rwlock) == 0);
  return unused;
}
static void waits_for_rwlock(void) {
  handle(SIGUSR1, 0);
  CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
  const pthread_t other = start(write_lock);
  interrupt_and_wait(other);
  ready = 1;
  CHECK(pthread_rwlock_unlock(&rwlock) == 0);
  end(other);
}

static void* lock_spin(void* unused) {
  atomic_store(&told, 1);
  CHECK(pthread_spin_lock(&spin) == 0);
  CHECK(ready == 1);
  CHECK(pthread_spin_unlock(&spin) == 0);
  return unused;
}
static void waits_for_spin_lock(void) {
  handle(SIGUSR1, 0);
  CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0 && pthread_spin_lock(&spin) == 0);
  const pthread_t other = start(lock_spin);
  interrupt_and_wait(other);
  ready = 1;
  CHECK(pthread_spin_unlock(&spin) == 0);
  end(other);
}

static void* wait_on_condition(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  atomic_store(&told, 1);
  for (; !ready; woken_for_nothing += !ready) CHECK(pthread_cond_wait(&condition, &mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(woken_for_nothing == 0);
  return unused;
}
static void make_ready(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  ready = 1;
  CHECK(pthread_cond_signal(&condition) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
}
static void waits_on_condition(void) {
  handle(SIGUSR1, 0);
  const pthread_t other = start(wait_on_condition);
  interrupt_and_wait(other);
  make_ready();
  end(other);
}
// The condition may be signalled before, while or after the handler runs.
static void woken_meanwhile(void) {
  handle(SIGUSR1, 0);
  const pthread_t other = start(wait_on_condition);
  wait_for(&told);
  CHECK(pthread_kill(other, SIGUSR1) == 0);
  make_ready();
  end(other);
  CHECK(atomic_load(&handled) == 1);
}

static void* reach_barrier(void* unused) {
  atomic_store(&told, 1);
  const int r = pthread_barrier_wait(&barrier);
  CHECK(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK(ready == 1);
  return unused;
}
static void waits_at_barrier(void) {
  handle(SIGUSR1, 0);
  CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
  const pthread_t other = start(reach_barrier);
  interrupt_and_wait(other);
  ready = 1;
  pthread_barrier_wait(&barrier);
  end(other);
}

static pthread_t joined;
static void* until_ready(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(ready == 1);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return unused;
}
static void* join_other(void* unused) {
  atomic_store(&told, 1);
  CHECK(pthread_join(joined, NULL) == 0);
  return unused;
}
static void waits_in_join(void) {
  handle(SIGUSR1, 0);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  joined = start(until_ready);
  const pthread_t other = start(join_other);
  interrupt_and_wait(other);
  ready = 1;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  end(other);
}

static void* wait_on_semaphore(void* unused) {
  atomic_store(&told, 1);
  CHECK(sem_wait(&semaphore) == 0);
  CHECK(ready == 1);
  return unused;
}
static void restarted_semaphore(void) {
  handle(SIGUSR1, SA_RESTART);
  CHECK(sem_init(&semaphore, 0, 0) == 0);
  const pthread_t other = start(wait_on_semaphore);
  interrupt_and_wait(other);
  ready = 1;
  CHECK(sem_post(&semaphore) == 0);
  end(other);
}

// These waits end, and only that lets the thread go on.
static void* interrupted_on_semaphore(void* unused) {
  CHECK(sem_wait(&semaphore) == -1 && errno == EINTR);
  atomic_store(&told, 1);
  return unused;
}
static void* interrupted_asleep(void* unused) {
  const struct timespec hour = {3600, 0};
  struct timespec left;
  while (nanosleep(&hour, &left) == 0) continue;
  CHECK(errno == EINTR && left.tv_sec <= 3600 && (left.tv_sec > 0 || left.tv_nsec > 0));
  atomic_store(&told, 1);
  return unused;
}
static void* interrupted_at_futex(void* unused) {
  CHECK(syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0) == -1 && errno == EINTR);
  atomic_store(&told, 1);
  return unused;
}
static jmp_buf before_read;
static void jump(int number) {
  (void)number;
  if (ready) siglongjmp(before_read, 1);
}
static void* leaves_a_read(void* unused) {
  char byte;
  if (sigsetjmp(before_read, 1) == 0) {
    ready = 1;
    read(ends[0], &byte, 1);
    CHECK(0);
  }
  ready = 0;
  CHECK(!is_blocked(SIGUSR1));
  atomic_store(&told, 1);
  return unused;
}
static void until_told(pthread_t other) {
  while (!atomic_load(&told)) {
    pthread_kill(other, SIGUSR1);
    a_moment();
  }
  end(other);
}
static void ended_semaphore(void) {
  handle(SIGUSR1, 0);
  CHECK(sem_init(&semaphore, 0, 0) == 0);
  until_told(start(interrupted_on_semaphore));
}
static void ended_sleep(void) {
  handle(SIGUSR1, SA_RESTART);
  until_told(start(interrupted_asleep));
}
static void ended_futex(void) {
  handle(SIGUSR1, 0);
  until_told(start(interrupted_at_futex));
}
static void left_read(void) {
  struct sigaction action = {.sa_handler = jump};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  CHECK(pipe(ends) == 0);
  until_told(start(leaves_a_read));
}

// --- values
// ----------------------------------------------------------------------------------------------

static int values[8], value_count;
static void on_value(int number, siginfo_t* info, void* unused) {
  (void)unused;
  if (number != SIGRTMIN || info->si_code != SI_QUEUE || info->si_pid != getpid()) abort();
  values[value_count++] = info->si_value.sival_int;
  atomic_fetch_add(&handled, 1);
}
static void* take_values(void* unused) {
  while (atomic_load(&handled) < 4) a_moment();
  return unused;
}
static void queued(void) {
  struct sigaction action = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
  const pthread_t other = start(take_values);
  block(SIGRTMIN);
  for (int i = 1; i <= 3; ++i) CHECK(pthread_sigqueue(other, SIGRTMIN, (union sigval){i}) == 0);
  CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){4}) == 0);
  end(other);
  // What was sent to the thread comes in order, what was sent to the process at any time.
  for (int i = 0, next = 1; i < 4; ++i) CHECK(values[i] == 4 || values[i] == next++);
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
               {"waits-for-mutex", waits_for_mutex},
               {"waits-for-mutex-and-time", waits_for_mutex_and_time},
               {"waits-for-rwlock", waits_for_rwlock},
               {"waits-for-spin-lock", waits_for_spin_lock},
               {"waits-on-condition", waits_on_condition},
               {"woken-meanwhile", woken_meanwhile},
               {"waits-at-barrier", waits_at_barrier},
               {"waits-in-join", waits_in_join},
               {"restarted-semaphore", restarted_semaphore},
               {"ended-semaphore", ended_semaphore},
               {"ended-sleep", ended_sleep},
               {"ended-futex", ended_futex},
               {"left-read", left_read},
               {"queued", queued},
               {"an-hour", an_hour}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
      parts[i].part();
      printf("%s\n", argv[1]);
      return 0;
    }
  return 99;
}
