// The invariant is broken and restored inside the critical section; nobody can see it.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  int a = 5, b = 5;
  auto move = [&](int n) {
    std::lock_guard<std::mutex> lock(m);
    a -= n;
    b += n;
    assert(a + b == 10);
  };
  std::thread t1(move, 1), t2(move, 2);
  {
    std::lock_guard<std::mutex> lock(m);
    assert(a + b == 10);
  }
  t1.join();
  t2.join();
  assert(a == 2 && b == 8);
}
