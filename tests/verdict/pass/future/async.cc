// std::async in a thread of its own, with a value and with an exception; deferred runs in get.
#include <future>
#include <stdexcept>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int side = 0;
  auto a = std::async(std::launch::async, [&] {
    side = 1;
    return 20;
  });
  auto b = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  auto c = std::async(std::launch::deferred, [] { return 22; });
  assert(a.get() + c.get() == 42);
  assert(side == 1);
  bool thrown = false;
  try {
    b.get();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  assert(thrown);
}
