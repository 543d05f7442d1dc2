// An exception leaves a noexcept function when the other thread was quicker.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

namespace {

void Check(int value) {
  if (value != 1) throw std::runtime_error("changed");
}

}  // namespace

JOSTLE_CASE("exception") {
  std::atomic<int> value{1};
  auto check = [&]() noexcept { Check(value.load()); };
  std::thread t([&] { value.store(2); });
  try {
    check();
  } catch (const std::runtime_error&) {
  }
  t.join();
}
