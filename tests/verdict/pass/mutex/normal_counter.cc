// A counter behind a default mutex: every increment survives, every call returns 0.
#include <pthread.h>

#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, nullptr) == 0);
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 2; ++k) {
        assert(pthread_mutex_lock(&m) == 0);
        ++counter;
        assert(pthread_mutex_unlock(&m) == 0);
      }
    });
  }
  for (auto& t : threads) t.join();
  assert(counter == 6);
  assert(pthread_mutex_destroy(&m) == 0);
}
