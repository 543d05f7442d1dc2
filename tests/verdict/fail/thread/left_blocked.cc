// The body ends while a detached thread still waits for a semaphore.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

namespace {

sem_t never;

}  // namespace

JOSTLE_CASE("misuse") {
  sem_init(&never, 0, 0);
  std::thread t([] { sem_wait(&never); });
  t.detach();
}
