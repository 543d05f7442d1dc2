// SCTBench token_ring_bad: every station copies its neighbour under the lock, but nothing says in
// which order they run.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m;
  int x1 = 1, x2 = 2, x3 = 1;
  std::thread t1([&] {
    std::lock_guard<std::mutex> lock(m);
    x1 = (x3 + 1) % 4;
  });
  std::thread t2([&] {
    std::lock_guard<std::mutex> lock(m);
    x2 = x1;
  });
  std::thread t3([&] {
    std::lock_guard<std::mutex> lock(m);
    x3 = x2;
  });
  t1.join();
  t2.join();
  t3.join();
  assert(x1 == x2 && x2 == x3);
}
