// compare_exchange_strong fails only when the value differs, and then delivers that value.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> value{5};
  std::atomic<int> winners{0};
  auto work = [&](int mine) {
    int expected = 5;
    if (value.compare_exchange_strong(expected, mine)) {
      winners.fetch_add(1);
      assert(expected == 5);
    } else {
      assert(expected == 6 || expected == 7);
    }
  };
  std::thread a(work, 6), b(work, 7);
  a.join();
  b.join();
  assert(winners.load() == 1);
}
