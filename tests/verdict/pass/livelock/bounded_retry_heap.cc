// A retry that ends by itself, with its counter in heap memory and counted in another function:
// no register and no stack slot of the loop ever changes.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

[[gnu::noinline]] int Bump(int* n) { return ++*n; }

}  // namespace

JOSTLE_CASE("pass") {
  std::atomic<bool> ready{false};
  auto* tries = new int(0);
  std::thread t([&] {
    while (!ready.load())
      if (Bump(tries) == 300) break;
    assert(*tries == 300);
  });
  t.join();
  delete tries;
}
