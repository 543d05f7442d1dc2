// A busy wait without a yield for a flag that nobody sets.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<bool> flag{false};
  std::thread t([&] {
    while (!flag.load()) {
    }
  });
  t.join();
}
