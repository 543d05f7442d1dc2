// The destructor of std::jthread requests the stop and joins.
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int rounds = 0;
  {
    std::jthread t([&](std::stop_token stop) {
      do {
        ++rounds;
        std::this_thread::yield();
      } while (!stop.stop_requested());
    });
  }
  assert(rounds >= 1);
}
