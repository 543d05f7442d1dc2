// trylock answers EBUSY while somebody holds the mutex (the caller included) and 0 when free.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_trylock(&m) == EBUSY);
  std::thread other([&] { assert(pthread_mutex_trylock(&m) == EBUSY); });
  other.join();
  assert(pthread_mutex_unlock(&m) == 0);
  std::thread later([&] {
    assert(pthread_mutex_trylock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
  });
  later.join();
  assert(pthread_mutex_trylock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_destroy(&m) == 0);
}
