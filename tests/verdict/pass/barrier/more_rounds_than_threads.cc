// Four threads through a barrier of two: two pairs, two serial threads.
#include <pthread.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_barrier_t barrier;
  assert(pthread_barrier_init(&barrier, nullptr, 2) == 0);
  std::atomic<int> serial{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial.fetch_add(1);
    });
  }
  for (auto& t : threads) t.join();
  assert(serial.load() == 2);
  assert(pthread_barrier_destroy(&barrier) == 0);
}
