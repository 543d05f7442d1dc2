// Initialising the configuration logs a warning, and the logger initialises the configuration:
// std::call_once waits for itself. Only when the override came too late is there a warning.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct System {
  std::once_flag once;
  std::atomic<bool> overridden{false};
  void Log() { Init(); }
  void Init() {
    std::call_once(once, [this] {
      if (!overridden.load()) Log();
    });
  }
};

}  // namespace

JOSTLE_CASE("deadlock") {
  System system;
  std::thread t([&] { system.Init(); });
  system.overridden.store(true);
  t.join();
}
