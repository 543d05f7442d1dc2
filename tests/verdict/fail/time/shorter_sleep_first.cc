// The thread with the shorter sleep is expected to get to the counter first.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("assertion") {
  std::atomic<int> order{0};
  std::thread fast([&] {
    std::this_thread::sleep_for(1ms);
    assert(order.fetch_add(1) == 0);
  });
  std::thread slow([&] {
    std::this_thread::sleep_for(2ms);
    assert(order.fetch_add(1) == 1);
  });
  fast.join();
  slow.join();
}
