// Two live threads have their thread_local variable at different addresses; one may write the
// other's through a pointer when they synchronise.
#include <semaphore.h>

#include <thread>

#include "tests/support/case.h"

namespace {

thread_local int local = 0;

}  // namespace

JOSTLE_CASE("pass") {
  sem_t given, written;
  assert(sem_init(&given, 0, 0) == 0);
  assert(sem_init(&written, 0, 0) == 0);
  int* address = nullptr;
  std::thread a([&] {
    local = 1;
    address = &local;
    assert(sem_post(&given) == 0);
    assert(sem_wait(&written) == 0);
    assert(local == 2);
  });
  std::thread b([&] {
    assert(sem_wait(&given) == 0);
    assert(address != &local);
    assert(local == 0);
    *address = 2;
    assert(sem_post(&written) == 0);
  });
  a.join();
  b.join();
}
