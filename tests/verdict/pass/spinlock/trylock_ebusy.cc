// pthread_spin_trylock: EBUSY while held, 0 when free.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_spinlock_t l;
  assert(pthread_spin_init(&l, PTHREAD_PROCESS_SHARED) == 0);
  assert(pthread_spin_trylock(&l) == 0);
  assert(pthread_spin_trylock(&l) == EBUSY);
  std::thread t([&] { assert(pthread_spin_trylock(&l) == EBUSY); });
  t.join();
  assert(pthread_spin_unlock(&l) == 0);
  std::thread u([&] {
    assert(pthread_spin_trylock(&l) == 0);
    assert(pthread_spin_unlock(&l) == 0);
  });
  u.join();
  assert(pthread_spin_destroy(&l) == 0);
}
