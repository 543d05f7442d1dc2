// A mutex is destroyed and a new one of another type is made at the same address.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m;
  for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK}) {
    pthread_mutexattr_t attr;
    assert(pthread_mutexattr_init(&attr) == 0);
    assert(pthread_mutexattr_settype(&attr, type) == 0);
    assert(pthread_mutex_init(&m, &attr) == 0);
    std::thread t([&] {
      assert(pthread_mutex_lock(&m) == 0);
      assert(pthread_mutex_trylock(&m) == (type == PTHREAD_MUTEX_RECURSIVE ? 0 : EBUSY));
      if (type == PTHREAD_MUTEX_RECURSIVE) assert(pthread_mutex_unlock(&m) == 0);
      assert(pthread_mutex_unlock(&m) == 0);
    });
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    t.join();
    assert(pthread_mutex_destroy(&m) == 0);
  }
}
