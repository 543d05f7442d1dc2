// A callback is removed between the test and the call.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

void Callback() {}

}  // namespace

JOSTLE_CASE("crash") {
  std::atomic<void (*)()> callback{&Callback};
  std::thread t([&] { callback.store(nullptr); });
  if (callback.load() != nullptr) {
    void (*volatile f)() = callback.load();
    f();
  }
  t.join();
}
