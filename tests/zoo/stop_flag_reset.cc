// The worker resets its stop flag when it starts: a stop requested before that is forgotten.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<bool> stop{true};
  std::thread worker([&] {
    stop.store(false);
    while (!stop.load()) std::this_thread::yield();
  });
  stop.store(true);
  worker.join();
}
