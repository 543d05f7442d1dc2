// timer_create() with a function that is called on a thread of its own, and with a signal that has
// a value.
// CHECK: the program uses timers
#include <semaphore.h>

#include <csignal>
#include <ctime>

#include "tests/support/case.h"

static sem_t told;
static int value;

JOSTLE_CASE("pass") {
  sem_init(&told, 0, 0);
  value = 0;
  timer_t timer;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_value.sival_int = 5;
  event.sigev_notify_function = [](sigval v) {
    value = v.sival_int;
    sem_post(&told);
  };
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const itimerspec once = {{0, 0}, {7200, 0}};
  assert(timer_settime(timer, 0, &once, nullptr) == 0);
  while (sem_wait(&told) != 0) {
  }
  assert(value == 5);
  itimerspec left;
  assert(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec == 0);
  assert(timer_delete(timer) == 0);

  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  event.sigev_value.sival_int = 9;
  assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &once, nullptr) == 0);
  siginfo_t info;
  assert(sigwaitinfo(&usr1, &info) == SIGUSR1);
  assert(info.si_code == SI_TIMER && info.si_value.sival_int == 9);
  assert(timer_delete(timer) == 0);
  sem_destroy(&told);
}
