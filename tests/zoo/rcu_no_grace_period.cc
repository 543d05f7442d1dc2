// Read-copy-update without a grace period: the old version is freed while a reader is in it.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Version {
  int a = 1, b = 1;
};

}  // namespace

JOSTLE_CASE("heap") {
  std::atomic<Version*> current{new Version};
  std::thread reader([&] {
    Version* v = current.load();
    volatile int sum = v->a;
    sum = sum + v->b;
  });
  auto* fresh = new Version;
  Version* old = current.exchange(fresh);
  delete old;
  reader.join();
  delete current.load();
}
