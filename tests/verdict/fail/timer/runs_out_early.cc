// What the function of a timer needs is only there a while after the timer was started.
#include <semaphore.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <memory>

#include "tests/support/case.h"

static std::atomic<int*> settings;
static sem_t done;

JOSTLE_CASE("assertion") {
  settings = nullptr;
  sem_init(&done, 0, 0);
  timer_t timer;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval) {
    assert(settings.load());
    sem_post(&done);
  };
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const itimerspec in_a_second = {{0, 0}, {1, 0}};
  timer_settime(timer, 0, &in_a_second, nullptr);
  auto made = std::make_unique<int>(1);
  settings = made.get();
  sem_wait(&done);
  timer_delete(timer);
  sem_destroy(&done);
}
