// One broadcast opens the gate for three waiters.
#include <pthread.h>

#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  bool open = false;
  int through = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      assert(pthread_mutex_lock(&m) == 0);
      while (!open) assert(pthread_cond_wait(&c, &m) == 0);
      ++through;
      assert(pthread_mutex_unlock(&m) == 0);
    });
  }
  assert(pthread_mutex_lock(&m) == 0);
  open = true;
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_cond_broadcast(&c) == 0);
  for (auto& t : threads) t.join();
  assert(through == 3);
}
