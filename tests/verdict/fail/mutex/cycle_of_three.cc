// Three mutexes and three threads, each holding one and wanting the next.
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m[3];
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      std::lock_guard<std::mutex> first(m[i]);
      std::lock_guard<std::mutex> second(m[(i + 1) % 3]);
    });
  }
  for (auto& t : threads) t.join();
}
