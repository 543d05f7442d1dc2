// The assertion fails in a thread, inside a nested call, with a lock held.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m;
  int order = 0;
  auto check = [&](int expected) { assert(order == expected); };
  auto work = [&](int expected) {
    std::lock_guard<std::mutex> lock(m);
    check(expected);
    ++order;
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
