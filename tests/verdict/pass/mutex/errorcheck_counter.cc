// An error-checking mutex excludes just like a normal one.
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutexattr_t attr;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &attr) == 0);
  int counter = 0;
  auto work = [&] {
    for (int k = 0; k < 2; ++k) {
      assert(pthread_mutex_lock(&m) == 0);
      ++counter;
      assert(pthread_mutex_lock(&m) == EDEADLK);
      assert(pthread_mutex_unlock(&m) == 0);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 4);
  assert(pthread_mutex_destroy(&m) == 0);
  assert(pthread_mutexattr_destroy(&attr) == 0);
}
