// thread_local and __thread integers: fresh in every thread, stable across switches.
#include <thread>
#include <vector>

#include "tests/support/case.h"

namespace {

thread_local int counter = 10;
__thread int other = 20;

}  // namespace

JOSTLE_CASE("pass") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i] {
      assert(counter == 10 && other == 20);
      for (int k = 0; k < 3; ++k) {
        counter += i;
        other -= i;
        std::this_thread::yield();
      }
      assert(counter == 10 + 3 * i && other == 20 - 3 * i);
    });
  }
  for (auto& t : threads) t.join();
}
