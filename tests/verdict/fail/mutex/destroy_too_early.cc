// The mutex is destroyed before the worker is joined; the worker may be holding it.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_mutex_t m;
  pthread_mutex_init(&m, nullptr);
  std::atomic<bool> done{false};
  std::thread t([&] {
    if (done.load()) return;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  });
  done.store(true);
  pthread_mutex_destroy(&m);
  t.join();
}
