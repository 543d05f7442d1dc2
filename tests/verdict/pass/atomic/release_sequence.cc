// A relaxed read-modify-write by another thread continues the release sequence.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int data = 0;
  std::atomic<int> state{0};
  std::thread writer([&] {
    data = 42;
    state.store(1, std::memory_order_release);
  });
  std::thread middle([&] {
    int expected = 1;
    state.compare_exchange_strong(expected, 2, std::memory_order_relaxed);
  });
  std::thread reader([&] {
    if (state.load(std::memory_order_acquire) == 2) assert(data == 42);
  });
  writer.join();
  middle.join();
  reader.join();
}
