// The reader runs before the object is published.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Config {
  int value;
};

}  // namespace

JOSTLE_CASE("crash") {
  Config config = {1};
  std::atomic<Config*> current{nullptr};
  std::thread reader([&] {
    volatile Config* c = current.load();
    int v = c->value;
    (void)v;
  });
  current.store(&config);
  reader.join();
}
