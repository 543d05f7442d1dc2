// After you; no, after you: both set their wish first and wait for the other to give up.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<bool> wants[2] = {false, false};
  auto enter = [&](int me) {
    wants[me].store(true);
    while (wants[1 - me].load()) std::this_thread::yield();
    wants[me].store(false);
  };
  std::thread a(enter, 0), b(enter, 1);
  a.join();
  b.join();
}
