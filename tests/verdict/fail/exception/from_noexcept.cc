// An exception leaves a noexcept function when the other thread was quicker.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::atomic<int> value{1};
  auto check = [&]() noexcept {
    if (value.load() != 1) throw std::runtime_error("changed");
  };
  std::thread t([&] { value.store(2); });
  try {
    check();
  } catch (const std::runtime_error&) {
  }
  t.join();
}
