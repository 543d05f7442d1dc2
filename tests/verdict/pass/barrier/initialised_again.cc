// A barrier that was destroyed may be initialised again, for another number of threads.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_barrier_t b;
  for (const unsigned threads : {1u, 2u}) {
    pthread_barrier_init(&b, nullptr, threads);
    std::thread t([&] { pthread_barrier_wait(&b); });
    if (threads == 2) pthread_barrier_wait(&b);
    t.join();
    pthread_barrier_destroy(&b);
  }
}
