// Three threads try once each: only 0 and EBUSY come back, the first one in always wins, and the
// winners exclude each other.
#include <pthread.h>

#include <cerrno>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int wins = 0;  // protected by m
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      int rc = pthread_mutex_trylock(&m);
      assert(rc == 0 || rc == EBUSY);
      if (rc == 0) {
        ++wins;
        assert(pthread_mutex_unlock(&m) == 0);
      }
    });
  }
  for (auto& t : threads) t.join();
  assert(wins >= 1 && wins <= 3);
}
