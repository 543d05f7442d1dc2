// A thread throws when it comes second, and nobody catches it.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::atomic<bool> claimed{false};
  auto work = [&] {
    if (claimed.exchange(true)) throw std::runtime_error("already claimed");
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
