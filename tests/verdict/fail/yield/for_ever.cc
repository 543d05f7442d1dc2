// Politely waiting for a flag that the other thread sets only if it was not asked to stop first.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<bool> stop{false}, ready{false};
  std::thread t([&] {
    if (!stop.load()) ready.store(true);
  });
  stop.store(true);
  while (!ready.load()) std::this_thread::yield();
  t.join();
}
