// shared_ptr_raw_alias with a copy of the shared_ptr.
#include <memory>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Config {
  int port = 80;
};

}  // namespace

JOSTLE_CASE("pass") {
  std::mutex m;
  std::shared_ptr<Config> current = std::make_shared<Config>();
  std::thread reader([&] {
    std::shared_ptr<Config> config;
    {
      std::lock_guard<std::mutex> lock(m);
      config = current;
    }
    assert(config->port == 80);
  });
  {
    auto fresh = std::make_shared<Config>();
    std::lock_guard<std::mutex> lock(m);
    current.swap(fresh);
  }
  reader.join();
}
