// double_checked_locking done right: the flag is stored last, with release.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Config {
  std::mutex m;
  std::atomic<bool> initialised{false};
  int port = 0;
  int Port() {
    if (!initialised.load(std::memory_order_acquire)) {
      std::lock_guard<std::mutex> lock(m);
      if (!initialised.load(std::memory_order_relaxed)) {
        port = 80;
        initialised.store(true, std::memory_order_release);
      }
    }
    return port;
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Config config;
  std::thread a([&] { assert(config.Port() == 80); });
  std::thread b([&] { assert(config.Port() == 80); });
  a.join();
  b.join();
}
