// Both set their flags, see the other's, take back their own, and try again: in step, for ever.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<bool> wants[2] = {false, false};
  const auto enter = [&](int me) {
    wants[me] = true;
    while (wants[1 - me]) {
      wants[me] = false;
      std::this_thread::yield();
      wants[me] = true;
    }
    wants[me] = false;
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
}
