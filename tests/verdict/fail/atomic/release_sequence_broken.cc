// A relaxed store by another thread breaks the release sequence: the data is not published.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  int data = 0;
  std::atomic<int> state{0};
  std::thread writer([&] {
    data = 42;
    state.store(1, std::memory_order_release);
  });
  std::thread middle([&] {
    if (state.load(std::memory_order_relaxed) == 1) state.store(2, std::memory_order_relaxed);
  });
  std::thread reader([&] {
    if (state.load(std::memory_order_acquire) == 2) assert(data == 42);
  });
  writer.join();
  middle.join();
  reader.join();
}
