// pthread_once runs the routine once, and everybody who returned sees its effects.
#include <pthread.h>

#include <thread>
#include <vector>

#include "tests/support/case.h"

namespace {

pthread_once_t once;
int runs;
int value;
void Init() {
  ++runs;
  value = 42;
}

}  // namespace

JOSTLE_CASE("pass") {
  once = PTHREAD_ONCE_INIT;
  runs = 0;
  value = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      assert(pthread_once(&once, Init) == 0);
      assert(value == 42);
      assert(pthread_once(&once, Init) == 0);
    });
  }
  for (auto& t : threads) t.join();
  assert(runs == 1);
}
