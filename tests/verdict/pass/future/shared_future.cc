// Three threads wait for the same shared_future, each through its own copy.
#include <future>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::promise<int> promise;
  std::shared_future<int> shared = promise.get_future().share();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([shared] { assert(shared.get() == 7); });
  }
  promise.set_value(7);
  for (auto& t : threads) t.join();
}
