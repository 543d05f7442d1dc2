// Sleepers with different deadlines: whoever wakes finds its own deadline in the past, and the
// clock at the end is past the latest one.
#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; ++i) {
    threads.emplace_back([=] {
      std::this_thread::sleep_until(start + i * 2ms);
      assert(std::chrono::steady_clock::now() >= start + i * 2ms);
    });
  }
  for (auto& t : threads) t.join();
  assert(std::chrono::steady_clock::now() >= start + 6ms);
}
