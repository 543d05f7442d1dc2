// stop_flag_reset with the reset before the thread is started.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> stop{true};
  stop.store(false);
  std::thread worker([&] {
    while (!stop.load()) std::this_thread::yield();
  });
  stop.store(true);
  worker.join();
}
