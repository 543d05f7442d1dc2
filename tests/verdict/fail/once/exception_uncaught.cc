// The function throws when it finds the flag not yet set, and nobody catches it.
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::once_flag flag;
  std::atomic<bool> configured{false};
  std::thread t([&] {
    std::call_once(flag, [&] {
      if (!configured.load()) throw std::runtime_error("not configured");
    });
  });
  configured.store(true);
  t.join();
}
