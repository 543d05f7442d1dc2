// A raw pointer taken from a shared_ptr under the lock is used after the lock is gone; meanwhile
// another thread replaces the shared_ptr, which was the only owner.
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/support/case.h"

namespace {

struct Config {
  int port = 80;
};

}  // namespace

JOSTLE_CASE("heap") {
  std::mutex m;
  std::shared_ptr<Config> current = std::make_shared<Config>();
  std::thread reader([&] {
    Config* config;
    {
      std::lock_guard<std::mutex> lock(m);
      config = current.get();
    }
    volatile int port = config->port;
    (void)port;
  });
  {
    auto fresh = std::make_shared<Config>();
    std::lock_guard<std::mutex> lock(m);
    current = std::move(fresh);
  }
  reader.join();
}
