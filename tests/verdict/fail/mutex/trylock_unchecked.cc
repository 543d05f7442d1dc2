// The result of trylock is ignored, so the thread unlocks what it does not own.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  auto work = [&] {
    (void)pthread_mutex_trylock(&m);
    pthread_mutex_unlock(&m);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
