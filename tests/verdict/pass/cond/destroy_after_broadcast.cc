// POSIX: a condition variable may be destroyed once all its waiters have been awakened, even
// before they have returned.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c;
  assert(pthread_cond_init(&c, nullptr) == 0);
  int state = 0;  // 1: the waiter is about to wait; 2: released
  std::thread t([&] {
    assert(pthread_mutex_lock(&m) == 0);
    if (state == 0) {
      state = 1;
      while (state != 2) assert(pthread_cond_wait(&c, &m) == 0);
    }
    assert(pthread_mutex_unlock(&m) == 0);
  });
  assert(pthread_mutex_lock(&m) == 0);
  state = 2;
  assert(pthread_cond_broadcast(&c) == 0);
  assert(pthread_cond_destroy(&c) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  t.join();
}
