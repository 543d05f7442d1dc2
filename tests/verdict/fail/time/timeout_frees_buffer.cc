// The requester gives up after a timeout and frees the buffer the worker may still write.
#include <semaphore.h>

#include <ctime>
#include <thread>

#include "tests/support/case.h"

namespace {

// Absolute time on `clock`, `ms` milliseconds from now.
timespec Deadline(clockid_t clock, long ms) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

}  // namespace

JOSTLE_CASE("heap") {
  sem_t done;
  sem_init(&done, 0, 0);
  auto* buffer = new int(0);
  std::thread worker([&, buffer] {
    *buffer = 1;
    sem_post(&done);
  });
  timespec deadline = Deadline(CLOCK_REALTIME, 10);
  sem_timedwait(&done, &deadline);
  delete buffer;
  worker.join();
}
