// The value goes 0, 1, 0: a waiter for "not 0" can miss the change altogether.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::atomic<int> state{0};
  std::thread t([&] { state.wait(0); });
  for (int i = 0; i < 8; ++i) std::this_thread::yield();  // wait() spins and yields first
  state.store(1);
  state.notify_all();
  state.store(0);
  t.join();
}
