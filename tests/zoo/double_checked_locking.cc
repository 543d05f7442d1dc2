// Double-checked locking with the "initialised" flag set before the fields: a second thread takes
// the fast path to a half-built object.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Config {
  std::mutex m;
  std::atomic<bool> initialised{false};
  std::atomic<int> port{0};
  int Port() {
    if (!initialised.load()) {
      std::lock_guard<std::mutex> lock(m);
      if (!initialised.load()) {
        initialised.store(true);
        port.store(80);
      }
    }
    return port.load();
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Config config;
  std::thread a([&] { assert(config.Port() == 80); });
  std::thread b([&] { assert(config.Port() == 80); });
  a.join();
  b.join();
}
