// Two waiters, one notify_one.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::atomic<int> state{0};
  std::thread a([&] { state.wait(0); });
  std::thread b([&] { state.wait(0); });
  for (int i = 0; i < 8; ++i) std::this_thread::yield();  // wait() spins and yields first
  state.store(1);
  state.notify_one();
  a.join();
  b.join();
}
