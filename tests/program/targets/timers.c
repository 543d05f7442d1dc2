// Timers: hours that take no time, because they are virtual. Each part checks what it can.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what)                                       \
  do {                                                    \
    if (!(what)) {                                        \
      printf("line %d: not true: %s\n", __LINE__, #what); \
      exit(3);                                            \
    }                                                     \
  } while (0)

static const struct itimerspec an_hour = {{0, 0}, {3600, 0}}, every_hour = {{3600, 0}, {3600, 0}};
static sem_t semaphore;
static atomic_int fired;
static atomic_int value;

static void post(int number) {
  (void)number;
  atomic_fetch_add(&fired, 1);
  sem_post(&semaphore);
}
static void take(int number, siginfo_t* info, void* unused) {
  (void)unused;
  if (number != SIGUSR1 || info->si_code != SI_TIMER) abort();
  value = info->si_value.sival_int;
  sem_post(&semaphore);
}
static void count(union sigval by) {
  value += by.sival_int;
  sem_post(&semaphore);
}
static void handle(int number) {
  struct sigaction action = {.sa_handler = post, .sa_flags = SA_RESTART};
  CHECK(sigaction(number, &action, NULL) == 0);
}
static void* work(void* unused) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

// Nobody but the handler can end the wait.
static void ends_a_wait(void) {
  pthread_t other;
  handle(SIGALRM);
  CHECK(pthread_create(&other, NULL, work, NULL) == 0);
  CHECK(alarm(7200) == 0);
  CHECK(alarm(3600) >= 7199);
  CHECK(sem_wait(&semaphore) == 0);
  CHECK(alarm(0) == 0 && atomic_load(&fired) == 1);
  CHECK(pthread_join(other, NULL) == 0);
}

// Which would kill the program, if it did not come to an end.
static void watchdog(void) {
  pthread_t others[2];
  alarm(10);
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&others[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(others[i], NULL) == 0);
  CHECK(alarm(0) > 0);
}
static void watchdog_bites(void) {
  alarm(3600);
  sem_wait(&semaphore);
}

static void again_and_again(void) {
  handle(SIGALRM);
  const struct itimerval hourly = {{3600, 0}, {3600, 0}}, never = {{0, 0}, {0, 0}};
  struct itimerval left;
  CHECK(setitimer(ITIMER_REAL, &hourly, NULL) == 0);
  while (atomic_load(&fired) < 3) pause();
  CHECK(getitimer(ITIMER_REAL, &left) == 0 && left.it_interval.tv_sec == 3600);
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  CHECK(getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_sec == 0);
}

static void sends_a_value(void) {
  struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  event.sigev_value.sival_int = 7;
  timer_t timer;
  struct itimerspec left;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  CHECK(timer_settime(timer, 0, &an_hour, NULL) == 0);
  CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec <= 3600);
  CHECK(sem_wait(&semaphore) == 0 && value == 7);
  CHECK(timer_getoverrun(timer) == 0 && timer_delete(timer) == 0);
  CHECK(timer_delete(timer) == -1 && errno == EINVAL);
}

static void starts_threads(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = count};
  event.sigev_value.sival_int = 5;
  timer_t timer;
  CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  CHECK(timer_settime(timer, 0, &every_hour, NULL) == 0);
  for (int i = 0; i < 2; ++i) CHECK(sem_wait(&semaphore) == 0);
  CHECK(timer_delete(timer) == 0);
  CHECK(value >= 10);
}

static void by_descriptor(void) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  uint64_t times = 0;
  CHECK(fd >= 0 && read(fd, &times, sizeof times) == -1 && errno == EAGAIN);
  CHECK(timerfd_settime(fd, 0, &every_hour, NULL) == 0);
  for (int i = 0; i < 3; ++i) {
    struct pollfd p = {fd, POLLIN, 0};
    CHECK(poll(&p, 1, -1) == 1);
    CHECK(read(fd, &times, sizeof times) == sizeof times && times >= 1);
  }
  struct itimerspec left;
  CHECK(timerfd_gettime(fd, &left) == 0 && left.it_interval.tv_sec == 3600);
  CHECK(close(fd) == 0);
}

// Those that run out while the one before was not yet taken are counted: five in all, whoever is
// first when they are due, and no hour passes for want of one.
static void overruns(void) {
  const struct timespec long_enough = {5 * 3600 + 1800, 0};
  struct timespec begin, end;
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t timer;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  CHECK(timer_settime(timer, 0, &every_hour, NULL) == 0);
  CHECK(timerfd_settime(fd, 0, &every_hour, NULL) == 0);
  CHECK(nanosleep(&long_enough, NULL) == 0);
  uint64_t signals = 0, read_in_all = 0;
  while (signals < 5) {
    CHECK(sigwaitinfo(&set, NULL) == SIGUSR1);
    signals += 1 + (uint64_t)timer_getoverrun(timer);
  }
  while (read_in_all < 5) {
    uint64_t times = 0;
    CHECK(read(fd, &times, sizeof times) == sizeof times);
    read_in_all += times;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  CHECK(signals == 5 && read_in_all == 5 && end.tv_sec - begin.tv_sec < 6 * 3600);
}

// No step is made until the handler has been called.
static volatile sig_atomic_t stop;
static void tell(int number) {
  (void)number;
  stop = 1;
}
static void ends_a_loop(void) {
  signal(SIGALRM, tell);
  alarm(1);
  while (!stop) continue;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*part)(void);
  } parts[] = {{"ends-a-wait", ends_a_wait},       {"watchdog", watchdog},
               {"watchdog-bites", watchdog_bites}, {"again-and-again", again_and_again},
               {"sends-a-value", sends_a_value},   {"starts-threads", starts_threads},
               {"by-descriptor", by_descriptor},   {"overruns", overruns},
               {"ends-a-loop", ends_a_loop}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
      parts[i].part();
      printf("%s\n", argv[1]);
      return 0;
    }
  return 99;
}
