// Two spin locks, always in the same order.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_spinlock_t a, b;
  assert(pthread_spin_init(&a, 0) == 0);
  assert(pthread_spin_init(&b, 0) == 0);
  int x = 0, y = 0;
  auto work = [&] {
    assert(pthread_spin_lock(&a) == 0);
    ++x;
    assert(pthread_spin_lock(&b) == 0);
    ++y;
    assert(x == y);
    assert(pthread_spin_unlock(&b) == 0);
    assert(pthread_spin_unlock(&a) == 0);
  };
  std::thread t1(work), t2(work);
  t1.join();
  t2.join();
  assert(x == 2);
  assert(pthread_spin_destroy(&a) == 0);
  assert(pthread_spin_destroy(&b) == 0);
}
