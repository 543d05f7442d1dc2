// Dijkstra's dining philosophers, all picking up the left fork first.
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  constexpr int kSeats = 3;
  std::mutex fork[kSeats];
  std::vector<std::thread> philosophers;
  for (int i = 0; i < kSeats; ++i) {
    philosophers.emplace_back([&, i] {
      fork[i].lock();
      fork[(i + 1) % kSeats].lock();
      fork[(i + 1) % kSeats].unlock();
      fork[i].unlock();
    });
  }
  for (auto& p : philosophers) p.join();
}
