// The canonical wait: predicate under the mutex, in a loop, signalled under the mutex.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m;
  pthread_cond_t c;
  assert(pthread_mutex_init(&m, nullptr) == 0);
  assert(pthread_cond_init(&c, nullptr) == 0);
  bool ready = false;
  int data = 0;
  std::thread waiter([&] {
    assert(pthread_mutex_lock(&m) == 0);
    while (!ready) assert(pthread_cond_wait(&c, &m) == 0);
    assert(data == 42);
    assert(pthread_mutex_unlock(&m) == 0);
  });
  assert(pthread_mutex_lock(&m) == 0);
  data = 42;
  ready = true;
  assert(pthread_cond_signal(&c) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  waiter.join();
  assert(pthread_cond_destroy(&c) == 0);
  assert(pthread_mutex_destroy(&m) == 0);
}
