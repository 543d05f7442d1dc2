// Two workers report their outcome in one variable; the success of one overwrites the failure of
// the other.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> status{0};  // 1: ok, 2: failed
  std::thread ok([&] { status.store(1); });
  std::thread failing([&] {
    try {
      throw std::runtime_error("disk full");
    } catch (const std::runtime_error&) {
      status.store(2);
    }
  });
  ok.join();
  failing.join();
  assert(status.load() == 2);
}
