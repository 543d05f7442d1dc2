// A std::thread that is still joinable is destroyed when the early return is taken.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::atomic<bool> done{false};
  std::thread t([&] { done.store(true); });
  if (done.load()) return;
  t.join();
}
