// Every thread has its own value, initially null.
#include <pthread.h>
#include <sched.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_key_t key;
  assert(pthread_key_create(&key, nullptr) == 0);
  char token[3];
  auto work = [&](int i) {
    assert(pthread_getspecific(key) == nullptr);
    assert(pthread_setspecific(key, &token[i]) == 0);
    sched_yield();
    assert(pthread_getspecific(key) == &token[i]);
  };
  std::thread a(work, 0), b(work, 1);
  work(2);
  a.join();
  b.join();
  assert(pthread_getspecific(key) == &token[2]);
  assert(pthread_key_delete(key) == 0);
}
