// std::call_once with arguments: one call, visible to all.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::once_flag flag;
  int runs = 0, value = 0;
  auto work = [&](int v) {
    std::call_once(
        flag,
        [&](int x) {
          ++runs;
          value = x;
        },
        v);
    assert(value == 1 || value == 2);
  };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  assert(runs == 1);
}
