// SCTBench reorder_10_bad: nine setters; the checker is created last and must overtake them all.
// HARD: a uniformly random walk rarely finds it.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  constexpr int kSetters = 9;
  std::atomic<int> a{0}, b{0};
  std::vector<std::thread> setters;
  for (int i = 0; i < kSetters; ++i) {
    setters.emplace_back([&] {
      a.store(1);
      b.store(-1);
    });
  }
  std::thread checker([&] {
    int ra = a.load(), rb = b.load();
    assert((ra == 0 && rb == 0) || (ra == 1 && rb == -1));
  });
  for (auto& t : setters) t.join();
  checker.join();
}
