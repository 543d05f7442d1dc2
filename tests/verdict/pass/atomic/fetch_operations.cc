// Every read-modify-write is atomic, whatever its order argument.
// CHECK: it has too many schedules to execute all of them here
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> sum{0};
  std::atomic<unsigned> bits{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      sum.fetch_add(2, std::memory_order_relaxed);
      sum.fetch_sub(1, std::memory_order_acq_rel);
      ++sum;
      bits.fetch_or(1u << i, std::memory_order_relaxed);
      bits.fetch_xor(1u << (i + 4));
      bits.fetch_and(~(1u << i));
    });
  }
  for (auto& t : threads) t.join();
  assert(sum.load() == 6);
  assert(bits.load() == 0x70);
}
