// The flag says the object is alive; it dies between the test and the write.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  auto* object = new int(0);
  std::atomic<bool> alive{true};
  std::thread writer([&, object] {
    if (alive.load()) *object = 1;
  });
  alive.store(false);
  delete object;
  writer.join();
}
