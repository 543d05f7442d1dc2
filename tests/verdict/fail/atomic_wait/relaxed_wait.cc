// The wait and the store are relaxed, so the plain data is not published.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::atomic<int> state{0};
  int data = 0;
  std::thread t([&] {
    state.wait(0, std::memory_order_relaxed);
    assert(data == 0 || data == 42);
  });
  data = 42;
  state.store(1, std::memory_order_relaxed);
  state.notify_one();
  t.join();
}
