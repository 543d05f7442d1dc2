// A retry that ends by itself, with its counter in global memory and counted in another function:
// no register and no stack slot of the loop ever changes.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

int tries;
[[gnu::noinline]] int Bump() { return ++tries; }

}  // namespace

JOSTLE_CASE("pass") {
  std::atomic<bool> ready{false};
  tries = 0;
  std::thread t([&] {
    while (!ready.load())
      if (Bump() == 300) break;
    assert(tries == 300);
  });
  t.join();
}
