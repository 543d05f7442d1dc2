// Readers see the pair either before or after the writer, never in between.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_rwlock_t l;
  assert(pthread_rwlock_init(&l, nullptr) == 0);
  int x = 0, y = 0;
  auto read = [&] {
    assert(pthread_rwlock_rdlock(&l) == 0);
    assert(x == y);
    assert(pthread_rwlock_unlock(&l) == 0);
  };
  std::thread r1(read), r2(read);
  std::thread w([&] {
    assert(pthread_rwlock_wrlock(&l) == 0);
    ++x;
    ++y;
    assert(pthread_rwlock_unlock(&l) == 0);
  });
  r1.join();
  r2.join();
  w.join();
  assert(x == 1 && y == 1);
  assert(pthread_rwlock_destroy(&l) == 0);
}
