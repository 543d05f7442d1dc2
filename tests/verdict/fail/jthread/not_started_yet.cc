// The stop request can come before the thread has done anything at all.
#include <atomic>
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> rounds{0};
  {
    std::jthread t([&](std::stop_token stop) {
      while (!stop.stop_requested()) {
        rounds.fetch_add(1);
        std::this_thread::yield();
      }
    });
  }
  assert(rounds.load() > 0);
}
