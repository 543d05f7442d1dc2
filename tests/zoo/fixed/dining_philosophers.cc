// dining_philosophers where everybody takes the lower fork first.
#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  constexpr int kSeats = 3;
  std::mutex fork[kSeats];
  std::vector<std::thread> philosophers;
  for (int i = 0; i < kSeats; ++i) {
    philosophers.emplace_back([&, i] {
      int left = i, right = (i + 1) % kSeats;
      int first = std::min(left, right), second = std::max(left, right);
      fork[first].lock();
      fork[second].lock();
      fork[second].unlock();
      fork[first].unlock();
    });
  }
  for (auto& p : philosophers) p.join();
}
