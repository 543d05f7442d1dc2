// "The other thread is surely done after a second."
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("assertion") {
  std::atomic<bool> done{false};
  std::thread t([&] { done.store(true); });
  std::this_thread::sleep_for(1000ms);
  bool seen = done.load();
  t.join();
  assert(seen);
}
