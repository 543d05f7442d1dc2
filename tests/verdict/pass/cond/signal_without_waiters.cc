// Signals nobody waits for are lost, return 0 and do no harm: the predicate remembers.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  bool ready = false;
  assert(pthread_cond_signal(&c) == 0);
  assert(pthread_cond_broadcast(&c) == 0);
  std::thread t([&] {
    assert(pthread_mutex_lock(&m) == 0);
    ready = true;
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_cond_signal(&c) == 0);
    assert(pthread_cond_signal(&c) == 0);
  });
  assert(pthread_mutex_lock(&m) == 0);
  while (!ready) assert(pthread_cond_wait(&c, &m) == 0);
  assert(pthread_mutex_unlock(&m) == 0);
  t.join();
  assert(pthread_cond_destroy(&c) == 0);
}
